import type { CachePoint } from '../../../../reader/dockerfile/cache-points.ts'
import {
  type CachedStage,
  type CachedStageRecord,
  stagePoints,
  verifiedStage,
} from '../../cache/cached-stage.ts'
import {
  type CachedStageName,
  type CachedStageRow,
  cachedStageKey,
  findCachedStages,
  forgetCachedStage,
  recordStageUse,
} from '../../cache/cached-stage-store.ts'
import type { Build } from '../../request/build.ts'
import { stageSandboxId } from '../../sandboxes/build-sandboxes.ts'
import type { Step } from '../step.ts'
import type { Validated } from '../validate-context.ts'
import type { Keyed } from './image-inputs.ts'

export interface StagesReady {
  /** Cached stages that replace the first instructions of their stages. */
  cachedStages: CachedStage[]
  /** The sandbox in which this attempt built a stage's first instructions separately. */
  stageSandbox: string | undefined
}

/*
 * The layer cache: a build whose first instructions were built before loads their layers, and builds the rest.
 *
 *   load   for each stage, the company's cached stage with the most instructions
 *   make   if this build and the environment's last build share more instructions than any cached stage has, those are
 *          built first, separately, and cached. This happens once, at the point where the author makes changes
 *
 * A step that broke out of the builder's chroot could write anything in its sandbox, so nothing is cached that a later step
 * could have written: a cached stage is built in a sandbox that gets only the instructions and files of its key. A step that
 * falsifies its layers affects only builds with the same step in the same company.
 */

/** Finds the cached stages that the build can start from. */
export const loadCachedStages: Step<Validated & Keyed, StagesReady> = {
  name: 'load_cached_stages',
  stage: 'customer_build',
  async run(build, values) {
    const { attemptId } = build.request
    const cachedStages = await loadAll(build, stagePoints(build, values))
    const own = cachedStages.find((stage) => stage.attemptId === attemptId)
    return { cachedStages, stageSandbox: own && stageSandboxId(attemptId, own.key) }
  },
}

async function loadAll(build: Build, points: CachePoint[]): Promise<CachedStage[]> {
  const { companyId } = build.request
  const keys = points.map(({ key }) => key)
  const rows = Map.groupBy(await findCachedStages(build.db, { companyId, keys }), ({ key }) => key)
  const loaded = new Map<number, CachedStage>()
  for (const { stage, count, key } of points.toReversed()) {
    if (loaded.has(stage)) continue
    const record = await firstIntact(build, rows.get(key) ?? [])
    if (!record) continue
    loaded.set(stage, { ...record, stage, count })
    await recordStageUse(build.db, record)
  }
  return [...loaded.values()]
}

/** The first usable row. Deletes the unusable rows before it. */
async function firstIntact(
  build: Build,
  rows: CachedStageRow[],
): Promise<Omit<CachedStage, 'stage' | 'count'> | undefined> {
  for (const row of rows) {
    const record = verifiedStage(row, build.tools.signing)
    const { networkSince } = row
    if (record && (await isIntact(build, record))) return { ...record, networkSince }
    await forgetStage(build, row)
  }
  return undefined
}

/** Whether the stored bytes are still those that were signed. */
async function isIntact({ tools }: Build, record: CachedStageRecord): Promise<boolean> {
  if ((await tools.digests.of(cachedStageKey(record))) === record.objectDigest) return true
  tools.log.warn({ key: record.key }, 'a cached stage is missing or damaged')
  return false
}

/** Removes an unusable stage from the cache. */
export async function forgetStage({ db, tools: { storage } }: Build, name: CachedStageName): Promise<void> {
  await forgetCachedStage(db, name)
  await storage.delete(cachedStageKey(name))
}
