import type { Database } from '../db/database.ts'
import { recordBlockedRenewal } from '../environments/retention/image-renewal-statement.ts'
import { transitionVersion } from '../environments/versions/version-transitions.ts'
import { type ProvisioningTools, provisionVersion } from './provisioning/provision-version.ts'
import type { ProvisioningSchedule } from './provisioning/provisioning-schedule.ts'
import {
  listUnprovisioned,
  type UnprovisionedVersion,
  withUnprovisioned,
} from './provisioning/provisioning-store.ts'

/** Postgres channel; the payload is the id of the version whose provisioning is requested. */
export const provisioningRequestedChannel = 'provisioning_asked'

/**
 * Provisions waiting versions again, one after another, each in one worker, until the others have to wait. If the executor or the
 * storage is unavailable, or the worker dies, the version waits for a later round.
 */
export async function provisionWaiting(
  db: Database,
  tools: ProvisioningTools,
  { signal, turns }: { signal: AbortSignal; turns: ProvisioningSchedule },
): Promise<void> {
  while (!signal.aborted) {
    // Read again each time: a company may request one while those of another are provisioned.
    const id = turns.next(await listUnprovisioned(db))
    if (id === undefined) return
    const work = (version: UnprovisionedVersion, holder: Database) =>
      provision(tools, version, { holder, signal })
    try {
      if (!(await withUnprovisioned(db, id, work))) turns.postpone(id)
    } catch (error) {
      turns.postpone(id)
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
  await holder.transaction().execute(async (trx) => {
    const left = await transitionVersion(trx, version, { to: done.to, from: ['regional_provisioning'], set })
    if (left !== undefined && done.to === 'provisioning_blocked') await recordBlockedRenewal(trx, version)
  })
}
