import { isDeepStrictEqual } from 'node:util'
import type { SandboxExit } from '../../../../agent/port/sandbox-exit.ts'
import type { CachePoint } from '../../../../reader/dockerfile/cache-points.ts'
import { ArchiveRefused } from '../../../../reader/formats/archive-refused.ts'
import { readOrigins } from '../../builder/build-origins.ts'
import { cachedStageSandbox } from '../../builder/build-sandbox.ts'
import { builderInput } from '../../builder/builder-input.ts'
import {
  type CachedStage,
  type CachedStageRecord,
  signedStage,
  stagePoints,
} from '../../cache/cached-stage.ts'
import {
  announceCachedStage,
  type CachedStageName,
  cachedStageKey,
  forgetCachedStage,
  readBuiltStages,
  recordCachedStage,
} from '../../cache/cached-stage-store.ts'
import { offerLog } from '../../logs/build-log.ts'
import { networkAge } from '../../network/network-age.ts'
import type { Build } from '../../request/build.ts'
import { stageSandboxId } from '../../sandboxes/build-sandboxes.ts'
import { startSandbox } from '../../sandboxes/start-sandbox.ts'
import { storeVerified } from '../../sandboxes/store-verified.ts'
import type { Step } from '../step.ts'
import type { Validated } from '../validate-context.ts'
import type { Keyed, NetworkChosen } from './image-inputs.ts'
import type { StagesReady } from './load-cached-stages.ts'
import type { BasesPulled } from './pull-base-images.ts'

type Needs = Validated & BasesPulled & NetworkChosen & Keyed & StagesReady

/**
 * Builds the first instructions of a stage in a separate sandbox, from what is cached already, and caches the
 * result. If that fails, everything is built at once, and the author finds the error in that log.
 */
export const makeCachedStage: Step<Needs, StagesReady> = {
  name: 'make_cached_stage',
  stage: 'customer_build',
  async run(build, values) {
    const { cachedStages, stageSandbox } = values
    const until = await divergence(build, stagePoints(build, values), cachedStages)
    if (!until) return { cachedStages, stageSandbox }
    // A part of a build gets only the inputs of its key.
    const usable = cachedStages.filter(({ stage }) => stage === until.stage || until.uses.includes(stage))
    const id = stageSandboxId(build.request.attemptId, until.key)
    const made = await makeStage(build, { ...values, cachedStages: usable }, { ...until, id })
    const others = cachedStages.filter(({ stage }) => stage !== made?.stage)
    return { cachedStages: made ? [...others, made] : cachedStages, stageSandbox: id }
  },
}

/** The point up to which the environment's last build was the same, with the largest gain over the cached stages. */
async function divergence(
  { db, request }: Build,
  points: CachePoint[],
  cachedStages: CachedStage[],
): Promise<CachePoint | undefined> {
  if (points.length === 0) return undefined
  const built = new Set(await readBuiltStages(db, request.environmentId))
  const gain = ({ stage, count }: CachePoint) =>
    count - (cachedStages.find((cached) => cached.stage === stage)?.count ?? 0)
  return points
    .filter((point) => built.has(point.key) && gain(point) > 0)
    .toSorted((one, other) => gain(other) - gain(one))[0]
}

async function makeStage(
  build: Build,
  values: Needs,
  { stage, count, key, id }: CachePoint & { id: string },
): Promise<CachedStage | undefined> {
  const { request, tools } = build
  const { executor } = tools
  offerLog(build, { sandboxId: id })
  if (!(await executor.list()).some((sandbox) => sandbox.id === id)) {
    const open = async () => ({ bytes: builderInput(build, values, { until: { stage, count } }) })
    const { bases, network } = values
    const spec = cachedStageSandbox({ id, profile: request.buildProfile, bases, network })
    await startSandbox(build, spec, { open })
  }
  const exit = await executor.wait(id, build.signal)
  if (exit.exitCode !== 0 || exit.files.image?.status !== 'present') return undefined
  if (!(await matchesKey(build, id, values))) return undefined
  const name = { companyId: request.companyId, key, attemptId: request.attemptId }
  try {
    const networkSince = networkAge(request.startedAt, values)
    return { ...(await storeStage(build, id, { ...name, networkSince }, exit)), networkSince, stage, count }
  } catch (error) {
    if (!(error instanceof ArchiveRefused)) throw error
    await forgetCachedStage(build.db, name)
    tools.log.warn({ attempt: request.attemptId, reason: error.slug }, 'a stage cannot be cached')
    return undefined
  }
}

/** Whether the builder used the inputs of the key: the operator may have replaced a base image meanwhile. */
async function matchesKey({ tools }: Build, id: string, values: Needs): Promise<boolean> {
  const { bases, imageKey, cachedStages } = values
  const origins = await readOrigins(await tools.executor.log(id), { bases, stages: cachedStages.length })
  return (
    isDeepStrictEqual(origins?.baseImages, imageKey?.baseImages) &&
    cachedStages.every(({ stage, manifestDigest }) => origins?.stages.get(stage) === manifestDigest)
  )
}

/** Stores the verified bytes, and signs their digest. */
async function storeStage(
  { tools, db, signal }: Build,
  sandboxId: string,
  { networkSince, ...name }: CachedStageName & Pick<CachedStage, 'networkSince'>,
  exit: SandboxExit,
): Promise<CachedStageRecord> {
  const tarBytes = exit.files.image?.byteSize ?? 0
  await announceCachedStage(db, { ...name, byteSize: tarBytes })
  return await tools.readers.retryOnDeath(async () => {
    const { stored, report } = await storeVerified(tools, {
      sandboxId,
      key: cachedStageKey(name),
      read: () => tools.readers.readCachedStage(),
      compressed: true,
      signal,
    })
    const record = {
      ...name,
      manifestDigest: report.image,
      objectDigest: stored.digest,
      byteSize: stored.byteSize,
      tarBytes,
    }
    await recordCachedStage(db, { ...record, networkSince, envelope: signedStage(record, tools.signing) })
    return record
  })
}
