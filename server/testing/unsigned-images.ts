import { Readable } from 'node:stream'
import type { ImageSource } from '../runs/placed-images.ts'

/** Images for runs on a scripted executor: what a version's row says is taken for signed. */
export const unsignedImages: ImageSource = {
  attested: async ({ id, layerDigest }) => ({
    versionId: id,
    layer: { digest: layerDigest, byteSize: 0, diffId: layerDigest },
    env: [],
    user: '',
  }),
  open: async () => Readable.from([Buffer.from('layer')]),
}
