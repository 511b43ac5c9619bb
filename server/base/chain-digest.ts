import { sha256Of } from './sha256.ts'

/**
 * The digest of a stack of layers (OCI image format, "Layer ChainID"): that of `lower` with the layer whose uncompressed tar has
 * the digest `diffId` above it. A single layer has its own digest.
 */
export const chainDigest = (lower: string | undefined, diffId: string): string =>
  lower === undefined ? diffId : sha256Of(`${lower} ${diffId}`)
