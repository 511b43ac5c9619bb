import { addAbortSignal } from 'node:stream'
import { ExecutorRefused, noCapacity } from '../executor/port.ts'
import { ObjectMissing } from '../storage/port.ts'
import { LayoutBroken, openLayer, verifyLayout } from './oci-layout.ts'
import type { UnprovisionedVersion } from './provisioning-store.ts'
import type { BuildTools } from './steps/step.ts'

export type ProvisioningTools = Pick<BuildTools, 'storage' | 'executor' | 'log'>

export type Provisioned = 'ready' | 'provisioning_blocked'

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
  if (layerDigest === null || promotedDigest === null) return 'provisioning_blocked'
  try {
    // Asked first: while the executor is away, no image is read for nothing.
    const isPlaced = await executor.hasImage(layerDigest)
    const layer = await verifyLayout(storage, id, promotedDigest)
    if (layer.diffId !== layerDigest) throw new LayoutBroken('diff id')
    if (isPlaced) return 'ready'
    const tar = await openLayer(storage, id, layer.digest)
    await executor.installImage(layerDigest, addAbortSignal(signal, tar))
    return 'ready'
  } catch (error) {
    if (signal.aborted || !isFinal(error)) throw error
    const reason = error instanceof ExecutorRefused ? error.slug : error.message
    log.error({ version: id, reason }, 'version cannot be provisioned')
    return 'provisioning_blocked'
  }
}

const isFinal = (error: unknown): error is Error =>
  error instanceof LayoutBroken ||
  error instanceof ObjectMissing ||
  (error instanceof ExecutorRefused && !passing.includes(error.slug))
