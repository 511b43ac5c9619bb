import type { Readable } from 'node:stream'
import { ExecutorRefused } from '../../agent/port/errors.ts'
import type { ImagePort } from '../../agent/port/images.ts'
import { chainDigest } from '../base/sha256.ts'
import { installedDigest, type Layer, type Layers } from './image-documents.ts'

type Host = Pick<ImagePort, 'hasImage' | 'installImage'>
/** Opens the uncompressed tar of a layer; `at` counts from 0, the lowest. */
type OpenLayer = (layer: Layer, at: number) => Promise<Readable>

/** Installs an image on the host, each layer that it lacks. Throws the errors of `open` and the refusals of the host. */
export async function installLayers(executor: Host, layers: Layers, open: OpenLayer): Promise<void> {
  if (await executor.hasImage(installedDigest(layers))) return
  try {
    await installMissing(executor, layers, open)
  } catch (error) {
    const isLowerGone = error instanceof ExecutorRefused && error.slug === 'image_missing'
    if (!isLowerGone) throw error
    // The last other image above a layer was removed meanwhile, and the layer with it.
    await installMissing(executor, layers, open)
  }
}

async function installMissing(executor: Host, layers: Layers, open: OpenLayer): Promise<void> {
  let lower: string | undefined
  for (const [at, layer] of layers.entries()) {
    const digest = chainDigest(lower, layer.diffId)
    if (!(await executor.hasImage(digest))) await executor.installImage(digest, await open(layer, at), lower)
    lower = digest
  }
}
