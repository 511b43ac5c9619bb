import { ArchiveRefused } from '../../../../reader/formats/archive-refused.ts'
import { type Layers, storedBytesOf } from '../../../images/image-documents.ts'
import { deleteQuarantined, quarantineKey } from '../../../images/oci-layout.ts'
import type { BaseLayer } from '../../cache/base-layer.ts'
import { cachedStageKey } from '../../cache/cached-stage-store.ts'
import type { Build } from '../../request/build.ts'
import { BuildFailed } from '../../request/build-failed.ts'
import { storeSandboxLog } from '../../sandboxes/build-sandboxes.ts'
import { hasKeptRoom } from '../../sandboxes/kept-room-store.ts'
import { storeVerified } from '../../sandboxes/store-verified.ts'
import type { Step } from '../step.ts'
import type { Built } from './built.ts'
import type { BaseLayerReady } from './make-base-layer.ts'
import type { NetworkRecorded } from './record-network.ts'
import type { BuilderEnded } from './run-builder.ts'

type Needs = BuilderEnded & NetworkRecorded & BaseLayerReady

/**
 * Stores the builder's image: the whole tree, or the layer above the base image. It is checked and compressed while it streams
 * into quarantine, so the bytes that are stored are the bytes that were checked.
 */
export const storeImage: Step<Needs, Pick<Built, 'layers' | 'unpackedBytes' | 'baseLayer'>> = {
  name: 'store_image',
  stage: 'customer_build',
  async run(build, values) {
    const { sandboxId, exit, refusedLog, baseLayer } = values
    const isLayer = exit.files.layered?.status === 'present'
    const status = exit.files.image?.status
    if (status === 'too_large') throw new BuildFailed('context_invalid', 'image_too_large')
    if (status !== 'present') throw new BuildFailed('context_invalid', 'image_missing')
    // First what is known before anything is stored, then all that the image counts for.
    await requireRoom(build, values, exit.files.image?.byteSize ?? 0)
    try {
      const stored = await storeLayers(build, { sandboxId, isLayer, baseLayer })
      await requireRoom(build, values, storedBytesOf(stored.layers) + stored.unpackedBytes)
      return stored
    } catch (error) {
      if (!(error instanceof ArchiveRefused)) throw error
      await storeSandboxLog(build, sandboxId, refusedLog + error.explanation('image'))
      throw new BuildFailed('context_invalid', error.errorDetail)
    }
  },
  async undo({ request, tools, whileClaimed }) {
    await whileClaimed(() => deleteQuarantined(tools.storage, request.versionId))
  },
}

/** Fails the build if the company may not keep so many bytes more; the build log says so. */
async function requireRoom(build: Build, { sandboxId, refusedLog }: Needs, bytes: number): Promise<void> {
  if (await hasKeptRoom(build, bytes)) return
  const text = `The image cannot be kept: it takes ${bytes} bytes, and the storage quota of the company has no room for them.\n`
  await storeSandboxLog(build, sandboxId, refusedLog + text)
  throw new BuildFailed('build_disk_full', 'storage_quota_exceeded')
}

async function storeLayers(
  build: Build,
  { sandboxId, isLayer, baseLayer }: Pick<Needs, 'sandboxId' | 'baseLayer'> & { isLayer: boolean },
) {
  if (!isLayer) return storeTree(build, sandboxId)
  // A builder that an earlier worker started may have had a base layer that is gone now.
  if (!baseLayer) throw new BuildFailed('platform_failed', 'base_layer_missing')
  return storeAbove(build, sandboxId, baseLayer)
}

async function storeTree({ request, tools, signal }: Build, sandboxId: string) {
  const { readers } = tools
  const key = quarantineKey(request.versionId)
  const { stored, report } = await readers.retryOnDeath(() =>
    storeVerified(tools, { sandboxId, key, read: () => readers.readImage(), compressed: true, signal }),
  )
  const layers: Layers = [{ ...stored, diffId: report.digest }]
  return { layers, unpackedBytes: report.unpackedBytes, baseLayer: undefined }
}

/** Also puts the base layer into quarantine, so that every later step reads both from there. */
async function storeAbove({ request, tools, signal }: Build, sandboxId: string, base: BaseLayer) {
  const { readers, storage } = tools
  const { digest, byteSize, diffId, unpackedBytes } = base
  await storage.copy(cachedStageKey(base), quarantineKey(request.versionId))
  const key = quarantineKey(request.versionId, 1)
  const read = () => readers.readLayer(base)
  const { stored, report } = await readers.retryOnDeath(() =>
    storeVerified(tools, { sandboxId, key, read, compressed: true, signal }),
  )
  const layers: Layers = [
    { digest, byteSize, diffId },
    { ...stored, diffId: report.digest },
  ]
  return { layers, unpackedBytes: unpackedBytes + report.unpackedBytes, baseLayer: base }
}
