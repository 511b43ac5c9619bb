import { PassThrough } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdCompress } from 'node:zlib'
import type { BuildTools } from '../steps/step.ts'
import { ImageProof, type ImageReading } from './image-proof.ts'

interface Proven<Facts> {
  /** Whose file `image` it is. */
  sandboxId: string
  /** Under which it is stored. */
  key: string
  /** Begins it. */
  read: () => ImageReading<Facts>
  compressed: boolean
  /** Ends it at any point: nothing is kept then. */
  signal?: AbortSignal
}

/**
 * Stores the image that a sandbox left while a reader process reads the same bytes; nothing is kept of one that is
 * refused. Throws what the reading throws.
 */
export async function storeProven<Facts extends object>(
  { executor, storage }: Pick<BuildTools, 'executor' | 'storage'>,
  { sandboxId, key, read, compressed, signal }: Proven<Facts>,
) {
  const image = await executor.file(sandboxId, 'image')
  const proof = new ImageProof(read())
  const kept = new PassThrough()
  const compress = () => createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 1 } })
  const through = compressed ? [proof, compress(), kept] : [proof, kept]
  // One that cannot be stored is not waited for.
  const storing = storage.put(key, kept).finally(() => kept.destroy())
  const [stored] = await Promise.all([storing, pipeline([image, ...through], { ...(signal && { signal }) })])
  return { stored, report: proof.report }
}
