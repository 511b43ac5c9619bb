import { isDeepStrictEqual } from 'node:util'
import { ArchiveRefused } from '../../../../reader/formats/archive-refused.ts'
import { sha256Of } from '../../../base/sha256.ts'
import { unpacked } from '../../../images/provenance/verify-image.ts'
import { readOrigins } from '../../builder/build-origins.ts'
import { baseLayerSandbox } from '../../builder/build-sandbox.ts'
import { baseLayerInput } from '../../builder/builder-input.ts'
import {
  type BaseLayer,
  baseInventoryKey,
  baseLayerKey,
  signedBaseLayer,
  verifiedBaseLayer,
} from '../../cache/base-layer.ts'
import {
  announceCachedStage,
  type CachedStageName,
  cachedStageKey,
  findCachedStages,
  forgetCachedStage,
  recordCachedStage,
  recordStageUse,
} from '../../cache/cached-stage-store.ts'
import type { Build } from '../../request/build.ts'
import { baseSandboxId } from '../../sandboxes/build-sandboxes.ts'
import { startSandbox } from '../../sandboxes/start-sandbox.ts'
import { storeVerified } from '../../sandboxes/store-verified.ts'
import type { Step } from '../step.ts'
import type { Validated } from '../validate-context.ts'
import type { Keyed } from './image-inputs.ts'
import type { BasesPulled } from './pull-base-images.ts'

export interface BaseLayerReady {
  /** The layer of the base image that the image is built on. Without it, the whole image is stored. */
  baseLayer: BaseLayer | undefined
}

type Needs = Validated & BasesPulled & Keyed

/**
 * Finds the company's layer of the base image that the image is built on, or makes it: a sandbox that has nothing but that
 * base image exports its tree, so no step of a tenant can have written it.
 */
export const makeBaseLayer: Step<Needs, BaseLayerReady> = {
  name: 'make_base_layer',
  stage: 'customer_build',
  async run(build, values) {
    const { finalBase, imageKey } = values
    const base = imageKey?.baseImages.find(({ name }) => name === finalBase)
    if (!imageKey || !base) return { baseLayer: undefined }
    const { programDigest } = build.tools.builder
    const inputs = { baseDigest: base.digest, toolchainDigest: imageKey.toolchainDigest, programDigest }
    const key = baseLayerKey(inputs)
    const known = await knownLayer(build, key)
    return { baseLayer: known ?? (await makeLayer(build, values, { base, key })) }
  },
}

/** The intact layer with that key. Deletes those that cannot be used. */
async function knownLayer({ db, request, tools }: Build, key: string): Promise<BaseLayer | undefined> {
  const { companyId } = request
  for (const row of await findCachedStages(db, { companyId, keys: [key] })) {
    const layer = verifiedBaseLayer(row, tools.signing)
    if (layer && (await isIntact(tools, layer))) {
      await recordStageUse(db, layer)
      return layer
    }
    await forget({ db, tools }, row)
  }
  return undefined
}

async function isIntact({ digests, log }: Build['tools'], layer: BaseLayer): Promise<boolean> {
  if ((await digests.of(cachedStageKey(layer))) === layer.digest) return true
  log.warn({ key: layer.key }, 'a base layer is missing or damaged')
  return false
}

async function forget({ db, tools: { storage } }: Pick<Build, 'db' | 'tools'>, name: CachedStageName) {
  await forgetCachedStage(db, name)
  await storage.delete(baseInventoryKey(name))
  await storage.delete(cachedStageKey(name))
}

/** Undefined if the layer cannot be made: then the build stores the whole image, and reports what is wrong with it. */
async function makeLayer(
  build: Build,
  { pulled }: BasesPulled,
  { base, key }: { base: { name: string; digest: string }; key: string },
): Promise<BaseLayer | undefined> {
  const { db, request, tools, signal } = build
  const { executor } = tools
  const id = baseSandboxId(request.attemptId, key)
  const bases = [base.name]
  if (!(await executor.list()).some((sandbox) => sandbox.id === id)) {
    const used = pulled.filter(({ name }) => name === base.name)
    const open = async () => ({ bytes: baseLayerInput(tools, { bases, pulled: used }) })
    await startSandbox(
      build,
      baseLayerSandbox({
        id,
        profile: request.buildProfile,
        bases,
        network: 'none',
        companyId: request.companyId,
      }),
      { open },
    )
  }
  const exit = await executor.wait(id, signal)
  const origins = await readOrigins(await executor.log(id), { bases, stages: 0 })
  const isMade = exit.exitCode === 0 && exit.files.image?.status === 'present'
  // The operator may have replaced the base image meanwhile.
  if (!isMade || !isDeepStrictEqual(origins?.baseImages, [base])) return undefined
  const name = { companyId: request.companyId, key, attemptId: request.attemptId }
  await announceCachedStage(db, { ...name, byteSize: exit.files.image?.byteSize ?? 1 })
  try {
    const layer = await storeLayer(build, name, id)
    const envelope = signedBaseLayer(layer, tools.signing)
    await recordCachedStage(db, { ...layer, envelope, networkSince: null })
    return layer
  } catch (error) {
    if (!(error instanceof ArchiveRefused)) throw error
    await forget(build, name)
    tools.log.warn({ attempt: request.attemptId, reason: error.slug }, 'a base image cannot be a layer')
    return undefined
  }
}

/** Stores the verified bytes and their inventory. */
async function storeLayer(
  { tools, signal }: Build,
  name: CachedStageName,
  sandboxId: string,
): Promise<BaseLayer> {
  const { readers, storage } = tools
  const key = cachedStageKey(name)
  const { stored, report } = await readers.retryOnDeath(() =>
    storeVerified(tools, { sandboxId, key, read: () => readers.readImage(), compressed: true, signal }),
  )
  const open = async () => unpacked(await storage.get(key))
  const inventory = Buffer.from(JSON.stringify(await readers.scanImage(open, signal)))
  await storage.put(baseInventoryKey(name), inventory)
  const { digest, byteSize } = stored
  const { digest: diffId, unpackedBytes, entries } = report
  return { ...name, diffId, digest, byteSize, unpackedBytes, entries, inventoryDigest: sha256Of(inventory) }
}
