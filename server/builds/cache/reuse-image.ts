import { allEnded } from '../../base/all-ended.ts'
import { ObjectMissing } from '../../storage/port.ts'
import { layerKey, quarantineKey, storedLayout } from '../oci-layout.ts'
import { composedDigest } from '../provenance/composition.ts'
import type { NamedDigest } from '../provenance/statement.ts'
import { type ImageSigned, ImageUntrusted, verifyLayer } from '../provenance/verify-image.ts'
import { readSignedImage } from '../provenance/verify-stored.ts'
import { type Build, found } from '../steps/step.ts'
import { storeBuildLog } from '../store-build-log.ts'
import { type CachedImage, findCachedImage, forgetCachedImage } from './build-cache-store.ts'
import { buildKey, resolveBases } from './build-key.ts'

/** The image that an attempt took over, instead of having one built. */
export interface ReusedImage {
  /** The attempt in which a builder made it. */
  builtBy: string
  /** The version whose copy was taken, and the attempt that made it ready. */
  versionId: string
  attemptId: string
  /** Of the statement that vouches for that copy. */
  provenanceDigest: string
  /** What the image was proved to start on, as that statement has it. */
  composedDigest: string
}

/**
 * Takes the image that the company has of the same inputs, if there is one. A row only says where to look: what counts
 * is what was signed about that image, which must name this company, this content, these base images and this runner.
 * Answers false when a builder has to make it; the findings then hold what it would be remembered by.
 */
export async function reuseImage(build: Build): Promise<boolean> {
  const { findings, order, tools } = build
  const [builder, runner] = await allEnded([tools.executor.builder(), tools.executor.runner()])
  const baseImages = resolveBases(found(build, 'bases'), builder, found(build, 'pulled'))
  if (!baseImages) return false
  const { toolchainDigest } = builder
  const { programDigest } = tools.builder
  const contextDigest = found(build, 'canonicalDigest')
  const key = buildKey({ order, contextDigest, baseImages, toolchainDigest, programDigest, runner })
  findings.cacheEntry = { key, baseImages, toolchainDigest }
  if (order.cache === 'none') return false
  const cached = await findCachedImage(build.db, { companyId: order.companyId, key })
  if (!cached) return false
  try {
    const [image, isOnHost] = await allEnded([
      readSignedImage(tools, { id: cached.versionId, ...cached }),
      tools.executor.hasImage(cached.layerDigest),
    ])
    if (!vouchesFor(image, build, baseImages)) throw new ImageUntrusted('made_of_something_else')
    // What the host holds was checked when it was installed; what it will be given anew is checked before.
    if (!isOnHost) await verifyLayer(storedLayout(tools.storage, cached.versionId), image.layer)
    const builtBy = builderOf(image)
    const told = `Nothing has changed: this is the image that build ${builtBy} made of the same files.\n`
    await allEnded([
      tools.storage.copy(layerKey(cached.versionId, image.layer.digest), quarantineKey(order.versionId)),
      storeBuildLog(build, Buffer.from(told)),
    ])
    takeOver(build, cached, image)
    return true
  } catch (error) {
    if (!(error instanceof ImageUntrusted || error instanceof ObjectMissing)) throw error
    tools.log.warn({ version: cached.versionId, error: error.message }, 'cached image cannot be taken')
    await forgetCachedImage(build.db, { companyId: order.companyId, versionId: cached.versionId })
    return false
  }
}

function vouchesFor({ statement }: ImageSigned, build: Build, baseImages: NamedDigest[]): boolean {
  const { order } = build
  const { externalParameters, resolvedDependencies } = statement.predicate.buildDefinition
  const wanted = [{ name: 'context.canonical', digest: found(build, 'canonicalDigest') }, ...baseImages]
  const stated = resolvedDependencies.map(({ name, digest }) => `${name} sha256:${digest.sha256}`)
  return (
    externalParameters.company_id === order.companyId &&
    externalParameters.build_profile === order.buildProfile &&
    externalParameters.resource_profile === order.resourceProfile &&
    wanted.every(({ name, digest }) => stated.includes(`${name} ${digest}`))
  )
}

/** The attempt in which a builder made it. */
const builderOf = ({ statement: { predicate } }: ImageSigned): string =>
  predicate.buildDefinition.internalParameters.reused_attempt_id ?? predicate.runDetails.metadata.invocationId

function takeOver({ findings }: Build, cached: CachedImage, image: ImageSigned): void {
  const { buildDefinition, runDetails } = image.statement.predicate
  findings.layer = image.layer
  findings.imageConfig = image.config
  findings.unpackedBytes = cached.unpackedBytes
  findings.baseImages = findings.cacheEntry?.baseImages ?? []
  findings.builderVersion = runDetails.builder.version.buildah ?? ''
  findings.reused = {
    builtBy: builderOf(image),
    versionId: cached.versionId,
    attemptId: cached.attemptId,
    provenanceDigest: image.provenanceDigest,
    composedDigest: buildDefinition.internalParameters.composed_execution_digest,
  }
}

/** True when the image was started on `runner` already, by the chain that proved it first. */
export const wasStartedOn = (build: Build): boolean =>
  build.findings.reused?.composedDigest === composedDigest(found(build, 'layer'), found(build, 'runner'))
