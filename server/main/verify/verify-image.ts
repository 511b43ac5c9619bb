import { createPublicKey } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { keyIdOf } from '../../base/keys/published-signing-keys.ts'
import { folderLayout, tarLayout } from '../../images/layout-files.ts'
import {
  blobPath,
  type ImageCheck,
  type ImageSigned,
  ImageUntrusted,
  imageChecks,
  unpackedDigest,
  verifyLayer,
  verifySigned,
} from '../../images/provenance/verify-image.ts'

export type { ImageCheck }
export { imageChecks }

export interface PassedCheck {
  check: ImageCheck | 'files'
  found: string
}

/** The result of a proof: a trusted image, or the slug of the first failed check. */
export type ImageProof = { passed: PassedCheck[] } & ({ image: ImageSigned } | { failed: string })

/** Proves a layout in a folder or a tar with only the public keys in `pems`. Throws if it cannot be read. */
export async function proveImage(path: string, pems: string[]): Promise<ImageProof> {
  const passed: PassedCheck[] = []
  try {
    const files = (await stat(path)).isDirectory() ? folderLayout(path) : await tarLayout(path)
    const trusted = readPublicKeys(pems)
    const onPassed = (check: ImageCheck, found: string) => void passed.push({ check, found })
    const image = await verifySigned(files, { trusted, onPassed })
    for (const layer of image.layers) {
      await verifyLayer(files, layer)
      if ((await unpackedDigest(files, layer)) !== layer.diffId) throw new ImageUntrusted('layer_damaged')
      onPassed('layer', `unpacks to ${layer.diffId}`)
    }
    const known = new Set([...image.documents, ...image.layers.map(({ digest }) => blobPath(digest))])
    if ((await files.list()).some((name) => !known.has(name))) throw new ImageUntrusted('file_unknown')
    passed.push({ check: 'files', found: `${known.size}, and nothing else` })
    return { passed, image }
  } catch (error) {
    if (error instanceof ImageUntrusted) return { passed, failed: error.slug }
    throw error
  }
}

const publicKeyPem = /-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/g

/** Every public key in the texts, by its id. */
export function readPublicKeys(pems: string[]) {
  const keys = pems.flatMap((text) => text.match(publicKeyPem) ?? []).map((pem) => createPublicKey(pem))
  return new Map(keys.map((key) => [keyIdOf(key), key]))
}

/** Whether a text has public keys, and no damaged one. */
export function holdsPublicKey(pem: string): boolean {
  try {
    return readPublicKeys([pem]).size > 0
  } catch {
    return false
  }
}
