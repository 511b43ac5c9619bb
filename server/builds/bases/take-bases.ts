import { resolveBases } from '../cache/build-key.ts'
import { type Build, found } from '../steps/step.ts'
import { storeBuildLog } from '../store-build-log.ts'
import { storedDigest } from '../stored-digest.ts'
import { BaseFailed } from './base-failed.ts'
import { fetchBase, resolveBase, type Wanted } from './pull.ts'
import {
  findPulledImage,
  forgetPulledImage,
  notePulledImage,
  type PulledImage,
  pulledImageKey,
  sharedScope,
} from './pulled-image-store.ts'
import { pullSource, registryAccess } from './registries.ts'

/** A base image out of a registry, as a build takes it. */
export interface PulledBase {
  /** As the Dockerfile has it. */
  name: string
  /** Of the manifest for linux/amd64. */
  digest: string
  /** What the name led to, where that is an index of manifests. */
  index?: { digest: string; document: Buffer }
  image: PulledImage
}

/**
 * Finds what the Dockerfile starts from that the operator's store does not have: asks the registry what each name means,
 * and fetches the image of that digest unless it is there. A build that fails for want of one says so in its log.
 */
export async function takeBases(build: Build): Promise<void> {
  const { executor, registries } = build.tools
  const builder = await executor.builder()
  const pulled: PulledBase[] = []
  try {
    for (const [at, name] of found(build, 'bases').entries()) {
      if (resolveBases([name], builder)) continue
      const source = pullSource(name, registries)
      // The builder says that it has none.
      if (source === 'not_in_registries') continue
      if (typeof source === 'string') throw new BaseFailed(name, source)
      const access = await registryAccess(source, registries).catch(() => {
        throw new BaseFailed(name, 'registry_files_unreadable')
      })
      pulled.push(await takeBase(build, { name, at, source, access }))
    }
  } catch (error) {
    if (error instanceof BaseFailed) {
      await storeBuildLog(build, Buffer.from(error.explanation))
    }
    throw error
  }
  build.findings.pulled = pulled
}

async function takeBase(build: Build, wanted: Wanted): Promise<PulledBase> {
  const { digest, image: manifest, document } = await resolveBase(build, wanted)
  const { companyId } = build.order
  const known = await findPulledImage(build.db, { companyId, digest: manifest })
  const image = known && (await isIntact(build, known)) ? known : await fetchAnew(build, wanted, manifest)
  return {
    name: wanted.name,
    digest: manifest,
    ...(digest !== manifest && { index: { digest, document } }),
    image,
  }
}

async function fetchAnew(build: Build, wanted: Wanted, digest: string): Promise<PulledImage> {
  const scope = wanted.access.login === undefined ? sharedScope : build.order.companyId
  const image = await fetchBase(build, wanted, { scope, digest })
  await notePulledImage(build.db, image, build.order.companyId)
  return image
}

/** Whether the stored bytes are still those that were checked; what is damaged is forgotten. */
async function isIntact({ tools, db }: Build, image: PulledImage): Promise<boolean> {
  const { byteSize } = image
  const digest = await storedDigest(tools.storage, { key: pulledImageKey(image), byteSize })
  if (digest === image.objectDigest) return true
  tools.log.warn({ digest: image.digest }, 'a stored base image is damaged, and fetched again')
  await forgetPulledImage(db, image)
  return false
}
