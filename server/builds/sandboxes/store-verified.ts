import { PassThrough } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdCompress } from 'node:zlib'
import { type ImageReading, ImageVerifier } from '../../../reader/process/image-verifier.ts'
import type { BuildTools } from '../request/build.ts'

interface VerifiedImage<Facts> {
  /** The sandbox that has the file `image`. */
  sandboxId: string
  /** Storage key. */
  key: string
  /** Starts the reader process. */
  read: () => ImageReading<Facts>
  compressed: boolean
  /** Aborts at any point; then nothing is stored. */
  signal?: AbortSignal
}

/**
 * Stores the image that a sandbox produced while a reader process verifies the same bytes. Nothing of a refused image stays
 * stored. Throws the error of the reader.
 */
export async function storeVerified<Facts extends object>(
  { executor, storage }: Pick<BuildTools, 'executor' | 'storage'>,
  { sandboxId, key, read, compressed, signal }: VerifiedImage<Facts>,
) {
  const image = await executor.file(sandboxId, 'image')
  const proof = new ImageVerifier(read())
  const body = new PassThrough()
  const compress = () => createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 1 } })
  const through = compressed ? [proof, compress(), body] : [proof, body]
  // Ends the pipeline if the storage fails.
  const storing = storage.put(key, body).finally(() => body.destroy())
  const [stored] = await Promise.all([storing, pipeline([image, ...through], { ...(signal && { signal }) })])
  return { stored, report: proof.report }
}
