import { settleAll } from '../../../base/settle-all.ts'
import { copyLayers, deleteQuarantined, storedLayout } from '../../../images/oci-layout.ts'
import type { NamedDigest } from '../../../images/provenance/statement.ts'
import { type ImageSigned, ImageUntrusted, verifyLayers } from '../../../images/provenance/verify-image.ts'
import { readSignedImage } from '../../../images/provenance/verify-stored.ts'
import { ObjectMissing } from '../../../storage/port.ts'
import { type CachedImage, findCachedImage, forgetCachedImage } from '../../cache/build-cache-store.ts'
import { storeBuildLog } from '../../logs/build-log.ts'
import type { Build } from '../../request/build.ts'
import type { Step } from '../step.ts'
import type { Validated } from '../validate-context.ts'
import type { Built } from './built.ts'
import type { Keyed } from './image-inputs.ts'

/**
 * Reuses the company's image for the same inputs, if there is one. The row only locates it: the signed statement of that
 * image must name this company, this content and these base images.
 * Returns undefined if the image has to be built.
 */
export const reuseImage: Step<Validated & Keyed, Built | undefined> = {
  name: 'reuse_image',
  stage: 'customer_build',
  async run(build, { canonicalDigest, imageKey }) {
    const { request, tools, db } = build
    if (!imageKey || request.cache === 'none') return undefined
    const { companyId } = request
    const cached = await findCachedImage(db, { companyId, key: imageKey.key })
    if (!cached) return undefined
    const inputs = [{ name: 'context.canonical', digest: canonicalDigest }, ...imageKey.baseImages]
    try {
      const image = await copyVerified(build, cached, inputs)
      return builtFromCache(cached, image, imageKey.baseImages)
    } catch (error) {
      if (!(error instanceof ImageUntrusted || error instanceof ObjectMissing)) throw error
      tools.log.warn({ version: cached.versionId, error: error.message }, 'cached image cannot be reused')
      await forgetCachedImage(db, { companyId, versionId: cached.versionId })
      return undefined
    }
  },
  /** Deletes the cache entry, so that an image that failed is not reused again. */
  async undo({ request, tools, db, failure, whileClaimed }, { reused }) {
    await whileClaimed(() => deleteQuarantined(tools.storage, request.versionId))
    if (!reused || failure.code === 'tenant_cancel') return
    await forgetCachedImage(db, { companyId: request.companyId, versionId: reused.versionId })
  },
}

/** Copies the image into quarantine if it was built from `inputs`, and says so in the build log. */
async function copyVerified(build: Build, cached: CachedImage, inputs: NamedDigest[]): Promise<ImageSigned> {
  const { request, tools } = build
  const [image, isOnHost] = await settleAll([
    readSignedImage(tools, { id: cached.versionId, ...cached }),
    tools.executor.hasImage(cached.layerDigest),
  ])
  if (!isMadeOf(image, build, inputs)) throw new ImageUntrusted('made_of_something_else')
  // An image on the host was verified when it was installed. Otherwise the layers are verified now.
  if (!isOnHost) await verifyLayers(storedLayout(tools.storage, cached.versionId), image.layers)
  const line = `Nothing has changed: reusing the image that build ${builderOf(image)} made from the same files.\n`
  await settleAll([
    copyLayers(tools.storage, { from: cached.versionId, to: request.versionId }, image.layers),
    storeBuildLog(build, Buffer.from(line)),
  ])
  return image
}

function isMadeOf(
  { statement }: ImageSigned,
  { request }: Pick<Build, 'request'>,
  inputs: NamedDigest[],
): boolean {
  const { externalParameters, resolvedDependencies } = statement.predicate.buildDefinition
  const stated = resolvedDependencies.map(({ name, digest }) => `${name} sha256:${digest.sha256}`)
  return (
    externalParameters.company_id === request.companyId &&
    externalParameters.build_profile === request.buildProfile &&
    externalParameters.resource_profile === request.resourceProfile &&
    inputs.every(({ name, digest }) => stated.includes(`${name} ${digest}`))
  )
}

/** The attempt in which a builder made the image. */
const builderOf = ({ statement: { predicate } }: ImageSigned): string =>
  predicate.buildDefinition.internalParameters.reused_attempt_id ?? predicate.runDetails.metadata.invocationId

function builtFromCache(cached: CachedImage, image: ImageSigned, baseImages: NamedDigest[]): Built {
  const { buildDefinition, runDetails } = image.statement.predicate
  return {
    layers: image.layers,
    unpackedBytes: cached.unpackedBytes,
    imageConfig: image.config,
    builderVersion: runDetails.builder.version.buildah ?? '',
    baseImages,
    cachedStages: [],
    networkSince: cached.networkSince,
    reused: {
      builtBy: builderOf(image),
      versionId: cached.versionId,
      attemptId: cached.attemptId,
      provenanceDigest: image.provenanceDigest,
      composedDigest: buildDefinition.internalParameters.composed_execution_digest,
    },
  }
}
