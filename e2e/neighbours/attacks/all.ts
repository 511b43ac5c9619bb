import type { Attack } from '../attack.ts'
import { buildAttacks } from './builds.ts'
import { requestAttacks } from './requests.ts'
import { runAttacks } from './runs.ts'
import { sessionAttacks } from './sessions.ts'
import { sharedAttacks } from './shared.ts'

export const attacks: Attack[] = [
  ...runAttacks,
  ...requestAttacks,
  ...buildAttacks,
  ...sessionAttacks,
  ...sharedAttacks,
]
