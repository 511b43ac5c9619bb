import { addAbortSignal, type Readable } from 'node:stream'
import { ExecutorRefused } from '../../agent/port/errors.ts'
import type { ImageLayer, ImagePort } from '../../agent/port/images.ts'
import { chainDigest } from '../base/sha256.ts'
import { installedDigest, type Layer, type Layers, mediaTypes } from './image-documents.ts'
import { unpacked } from './provenance/verify-image.ts'

type Images = Pick<ImagePort, 'hasImage' | 'installImage'>
/** Opens the stored bytes of a layer; `at` counts from 0, the lowest. */
type OpenLayer = (layer: Layer, at: number) => Promise<Readable>

/**
 * Installs each layer of an image that the executor lacks; `signal` ends it within a layer. Throws the errors of `open` and the
 * refusals of the executor.
 */
export async function installLayers(
  executor: Images,
  layers: Layers,
  open: OpenLayer,
  signal?: AbortSignal,
): Promise<void> {
  if (await executor.hasImage(installedDigest(layers))) return
  const formsAt = (layer: Layer, at: number) => formsOf(layer, () => open(layer, at), signal)
  try {
    await installMissing(executor, layers, formsAt)
  } catch (error) {
    const isLowerGone = error instanceof ExecutorRefused && error.slug === 'image_missing'
    if (!isLowerGone) throw error
    // The last other image above a layer was removed meanwhile, and the layer with it.
    await installMissing(executor, layers, formsAt)
  }
}

async function installMissing(
  executor: Images,
  layers: Layers,
  formsAt: (layer: Layer, at: number) => ImageLayer,
): Promise<void> {
  let lower: string | undefined
  for (const [at, layer] of layers.entries()) {
    const digest = chainDigest(lower, layer.diffId)
    if (!(await executor.hasImage(digest))) await executor.installImage(digest, formsAt(layer, at), lower)
    lower = digest
  }
}

function formsOf(
  { digest, byteSize }: Layer,
  openStored: () => Promise<Readable>,
  signal: AbortSignal | undefined,
): ImageLayer {
  const abortable = (stream: Readable) => (signal ? addAbortSignal(signal, stream) : stream)
  return {
    openTar: async () => abortable(unpacked(await openStored())),
    openStored: async () => abortable(await openStored()),
    stored: { mediaType: mediaTypes.layer, digest, byteSize },
  }
}
