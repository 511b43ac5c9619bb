import type { Attack } from '../attack.ts'
import { buildAttacks } from './builds.ts'
import { requestAttacks } from './requests.ts'
import { runAttacks } from './runs.ts'
import { sessionAttacks } from './sessions.ts'
import { sharedAttacks } from './shared.ts'

/** In the order in which they start when all attack at once: the runs of others take the slots that the attack on logs needs. */
export const attacks: Attack[] = [
  ...requestAttacks,
  ...buildAttacks,
  ...sessionAttacks,
  ...sharedAttacks,
  ...runAttacks,
]
