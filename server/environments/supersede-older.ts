import type { Trx } from '../db/database.ts'
import { moveVersion } from './version-moves.ts'
import { listOlderCompositions } from './version-store.ts'

/**
 * The hand-over to another runner: once the same archive is ready on it in the same environment, what was composed with
 * a former runner is `superseded`. Tasks that are published on that go on; new versions of tasks take the new one.
 */
export async function supersedeOlder(trx: Trx, versionId: string): Promise<void> {
  for (const id of await listOlderCompositions(trx, versionId))
    await moveVersion(trx, id, { to: 'superseded' })
}
