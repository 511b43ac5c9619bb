import type { Trx } from '../../db/database.ts'
import { listOlderCompositions } from './version-store.ts'
import { transitionVersion } from './version-transitions.ts'

/**
 * Handles a change of the runner. When the same archive becomes ready on a new runner in the same environment,
 * versions composed with an older runner become `superseded`. Published tasks on them continue to run; new task
 * versions use the new one.
 */
export async function supersedeOlder(
  trx: Trx,
  version: { id: string; company_id: string | null },
): Promise<void> {
  for (const older of await listOlderCompositions(trx, version))
    await transitionVersion(trx, older, { to: 'superseded' })
}
