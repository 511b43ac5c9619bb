import type { Database } from '../db/database.ts'
import { transitionVersion } from '../environments/versions/version-transitions.ts'
import { type ProvisioningTools, provisionVersion } from './provisioning/provision-version.ts'
import {
  listUnprovisioned,
  type UnprovisionedVersion,
  withUnprovisioned,
} from './provisioning/provisioning-store.ts'

/** Postgres channel; the payload is the id of the version whose provisioning is requested. */
export const provisioningRequestedChannel = 'provisioning_asked'

const versionsPerRound = 100

/**
 * Provisions waiting versions again, one after another, each in one worker. If the executor or the storage is unavailable,
 * or the worker dies, the version waits for the next round.
 */
export async function provisionWaiting(
  db: Database,
  tools: ProvisioningTools,
  signal: AbortSignal,
): Promise<void> {
  for (const id of await listUnprovisioned(db, versionsPerRound)) {
    if (signal.aborted) return
    try {
      await withUnprovisioned(db, id, (version, holder) => provision(tools, version, { holder, signal }))
    } catch (error) {
      // One failure does not stop the other versions.
      tools.log.warn({ version: id, error: String(error) }, 'provisioning failed and will be retried')
    }
  }
}

async function provision(
  tools: ProvisioningTools,
  version: UnprovisionedVersion,
  { holder, signal }: { holder: Database; signal: AbortSignal },
): Promise<void> {
  const done = await provisionVersion(tools, version, signal)
  const set = { blocked_reason: done.to === 'ready' ? '' : done.reason }
  await holder
    .transaction()
    .execute((trx) => transitionVersion(trx, version, { to: done.to, from: ['regional_provisioning'], set }))
}
