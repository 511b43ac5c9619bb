import { addAbortSignal } from 'node:stream'
import { ExecutorRefused, noCapacity } from '../executor/port.ts'
import { ObjectMissing } from '../storage/port.ts'
import { openLayer } from './oci-layout.ts'
import { ImageUntrusted } from './provenance/verify-image.ts'
import { verifyStored } from './provenance/verify-stored.ts'
import type { UnprovisionedVersion } from './provisioning-store.ts'
import type { BuildTools } from './steps/step.ts'

export type ProvisioningTools = Pick<BuildTools, 'storage' | 'executor' | 'signing' | 'log'>

export type Provisioned =
  | { to: 'ready' }
  /** `reason` is a slug that says what is wrong with the image. */
  | { to: 'provisioning_blocked'; reason: string }

/** Refusals that are the host's and pass; every other one is about the image and stays. */
const passing: readonly string[] = [noCapacity, 'disk_full', 'host']

/**
 * Proves that the promoted image is whole and has the executor hold it. Blocked: it never will. Throws when the
 * executor or the storage is away, or `signal` fires: it may be tried again.
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
    // Asked first: while the executor is away, no image is read for nothing.
    const isPlaced = await executor.hasImage(layerDigest)
    const { layer } = await verifyStored(tools, { id, promotedDigest, layerDigest })
    if (isPlaced) return { to: 'ready' }
    const tar = await openLayer(storage, id, layer.digest)
    await executor.installImage(layerDigest, addAbortSignal(signal, tar))
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
  (error instanceof ExecutorRefused && !passing.includes(error.slug))
