import type { Build } from '../request/build.ts'
import { fetchBase, type RequestedBase, resolveBase } from './pull.ts'
import {
  findPulledImage,
  forgetPulledImage,
  type PulledImage,
  pulledImageKey,
  recordPulledImage,
  sharedScope,
} from './pulled-image-store.ts'

/** A base image from a registry, as a build uses it. */
export interface PulledBase {
  /** As written in the Dockerfile. */
  name: string
  /** Digest of the manifest for linux/amd64. */
  digest: string
  /** The index that the name resolved to, if it resolved to one. */
  index?: { digest: string; document: Buffer }
  image: PulledImage
}

/** Resolves the name at the registry, and fetches the image of that digest unless it is stored. */
export async function pullBase(build: Build, wanted: RequestedBase): Promise<PulledBase> {
  const { digest, image: manifest, document } = await resolveBase(build, wanted)
  const { companyId } = build.request
  const known = await findPulledImage(build.db, { companyId, digest: manifest })
  const image =
    known && (await isIntact(build, known)) ? known : await fetchAndRecord(build, wanted, manifest)
  return {
    name: wanted.name,
    digest: manifest,
    ...(digest !== manifest && { index: { digest, document } }),
    image,
  }
}

async function fetchAndRecord(build: Build, wanted: RequestedBase, digest: string): Promise<PulledImage> {
  const scope = wanted.access.login === undefined ? sharedScope : build.request.companyId
  const image = await fetchBase(build, wanted, { scope, digest })
  await recordPulledImage(build.db, image, build.request.companyId)
  return image
}

/** Whether the stored bytes are still those that were verified. Deletes the row of a damaged image. */
async function isIntact({ tools, db }: Build, image: PulledImage): Promise<boolean> {
  if ((await tools.digests.of(pulledImageKey(image))) === image.objectDigest) return true
  tools.log.warn({ digest: image.digest }, 'a stored base image is damaged and is fetched again')
  await forgetPulledImage(db, image)
  return false
}
