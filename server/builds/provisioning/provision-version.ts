import { addAbortSignal } from 'node:stream'
import { ExecutorRefused } from '../../../agent/port/errors.ts'
import type { RefusalCause } from '../../../agent/port/refusal-causes.ts'
import { noCapacity } from '../../../agent/port/refusal-causes.ts'
import { installLayers } from '../../images/install-layers.ts'
import { openLayer } from '../../images/oci-layout.ts'
import { ImageUntrusted } from '../../images/provenance/verify-image.ts'
import { verifyStored } from '../../images/provenance/verify-stored.ts'
import { ObjectMissing } from '../../storage/port.ts'
import type { BuildTools } from '../request/build-tools.ts'
import type { UnprovisionedVersion } from './provisioning-store.ts'

export type ProvisioningTools = Pick<BuildTools, 'storage' | 'executor' | 'signing' | 'log'>

export type Provisioned =
  | { to: 'ready' }
  /** `reason` is a slug for the fault of the image. */
  | { to: 'provisioning_blocked'; reason: string }

/** Temporary refusals because of the host. Every other refusal is about the image and permanent. */
const temporary: readonly RefusalCause[] = [noCapacity, 'disk_full', 'host']

/**
 * Verifies the promoted image and installs it on the host. Returns `provisioning_blocked` for a permanent fault. Throws when
 * the executor or the storage is unavailable, or `signal` fires; it can then be retried.
 */
export async function provisionVersion(
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
    await installLayers(executor, layers, async ({ digest }) =>
      addAbortSignal(signal, await openLayer(storage, id, digest)),
    )
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
