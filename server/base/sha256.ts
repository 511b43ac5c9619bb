import { createHash } from 'node:crypto'

/** `sha256:` and hex digits; text is hashed as UTF-8. */
export const sha256Of = (bytes: Buffer | string): string =>
  `sha256:${createHash('sha256').update(bytes).digest('hex')}`

/** The same of bytes that come in pieces. */
export async function sha256OfAll(pieces: AsyncIterable<Buffer>): Promise<string> {
  const hash = createHash('sha256')
  for await (const piece of pieces) hash.update(piece)
  return `sha256:${hash.digest('hex')}`
}

/**
 * The digest of a stack of layers (OCI image format, "Layer ChainID"): that of `lower` with the layer whose uncompressed tar has
 * the digest `diffId` above it. A single layer has its own digest.
 */
export const chainDigest = (lower: string | undefined, diffId: string): string =>
  lower === undefined ? diffId : sha256Of(`${lower} ${diffId}`)
