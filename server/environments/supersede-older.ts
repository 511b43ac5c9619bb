import type { Trx } from '../db/database.ts'
import { moveVersion } from './version-moves.ts'
import { listOlderCompositions } from './version-store.ts'

/**
 * The hand-over to another runner: once the same archive is ready on it in the same environment, what was composed with
 * a former runner is `superseded`. Tasks that are published on that go on; new versions of tasks take the new one.
 */
export async function supersedeOlder(
  trx: Trx,
  version: { id: string; company_id: string | null },
): Promise<void> {
  for (const older of await listOlderCompositions(trx, version))
    await moveVersion(trx, older, { to: 'superseded' })
}
