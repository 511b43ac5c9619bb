import { ExecutorRefused } from '../../agent/port/errors.ts'
import { noCapacity, type RefusalCause } from '../../agent/port/refusal-causes.ts'
import type { Database } from '../db/database.ts'
import { recordBlockedRenewal } from '../environments/retention/image-renewal-statement.ts'
import { transitionVersion } from '../environments/versions/version-transitions.ts'
import { installLayers } from '../images/install-layers.ts'
import { layerKey } from '../images/oci-layout.ts'
import { ImageUntrusted } from '../images/provenance/verify-image.ts'
import { verifyStored } from '../images/provenance/verify-stored.ts'
import { ObjectMissing } from '../storage/port.ts'
import type { ProvisioningSchedule } from './provisioning/provisioning-schedule.ts'
import {
  listUnprovisioned,
  type UnprovisionedVersion,
  withUnprovisioned,
} from './provisioning/provisioning-store.ts'
import type { BuildTools } from './request/build.ts'

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

type ProvisioningTools = Pick<BuildTools, 'storage' | 'executor' | 'signing' | 'log'>

type Provisioned =
  | { to: 'ready' }
  /** `reason` is a slug for the fault of the image. */
  | { to: 'provisioning_blocked'; reason: string }

/** Temporary refusals because of the host. Every other refusal is about the image and permanent. */
const temporary: readonly RefusalCause[] = [noCapacity, 'disk_full', 'host']

/**
 * Verifies the promoted image and installs it on the host. Returns `provisioning_blocked` for a permanent fault. Throws when
 * the executor or the storage is unavailable, or `signal` fires; it can then be retried.
 */
async function provisionVersion(
  tools: ProvisioningTools,
  version: UnprovisionedVersion,
  signal: AbortSignal,
): Promise<Provisioned> {
  const { executor, storage, log } = tools
  const { id, layerDigest, promotedDigest } = version
  if (layerDigest === null || promotedDigest === null) return blocked('image_missing')
  try {
    // First, so that no image is read in vain while the executor is unavailable.
    const isPlaced = await executor.hasImage(layerDigest)
    const { layers } = await verifyStored(tools, { id, promotedDigest, layerDigest })
    if (isPlaced) return { to: 'ready' }
    await installLayers(executor, layers, ({ digest }) => storage.get(layerKey(id, digest)), signal)
    return { to: 'ready' }
  } catch (error) {
    if (signal.aborted || !isFinal(error)) throw error
    const reason = error instanceof ObjectMissing ? 'image_missing' : error.slug
    log.error({ version: id, reason }, 'version cannot be provisioned')
    return blocked(reason)
  }
}

const blocked = (reason: string): Provisioned => ({ to: 'provisioning_blocked', reason })

const isFinal = (error: unknown): error is ImageUntrusted | ObjectMissing | ExecutorRefused =>
  error instanceof ImageUntrusted ||
  error instanceof ObjectMissing ||
  (error instanceof ExecutorRefused && !temporary.includes(error.slug))
