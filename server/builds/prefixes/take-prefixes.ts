import { canonicalDigest } from '../../base/canonical-json.ts'
import type { PrefixPoint } from '../dockerfile/prefix-points.ts'
import type { Build } from '../steps/step.ts'
import { storedDigest } from '../stored-digest.ts'
import { noteBuiltPrefixes, readBuiltPrefixes } from './built-prefix-store.ts'
import { type KeptPrefix, type TakenPrefix, vouchedPrefix } from './kept-prefix.ts'
import { makePrefix, prefixSandboxId } from './make-prefix.ts'
import {
  findPrefixes,
  forgetPrefix,
  notePrefixUsed,
  type PrefixName,
  type PrefixRow,
  prefixObjectKey,
} from './prefix-store.ts'

/*
 * A build whose beginning was built before takes that as it is, and builds the rest:
 *
 *   taken   of each stage the longest beginning that the company keeps
 *   made    where a build does what the environment's last build did for longer than anything kept goes, that much is
 *           built first, alone, and kept: once, where an author begins to change things
 *
 * A step that broke out of the builder's chroot could write whatever its sandbox may, so nothing is kept that a later step could
 * have written: what is kept was made in a sandbox that was given the instructions and files that its key is over, and
 * not a word more. One that lies in it lies to those alone who run the same step of the same company.
 */

/** Finds, or makes, what the build begins with; the findings hold it. */
export async function takePrefixes(build: Build): Promise<void> {
  const { findings, order } = build
  findings.prefixes = []
  const points = keyedPoints(build)
  if (points.length === 0) return
  const taken = await takeKept(build, points)
  findings.prefixes = taken
  const own = taken.find(({ attemptId }) => attemptId === order.attemptId)
  if (own) findings.prefixSandbox = prefixSandboxId(order.attemptId, own.key)
  const until = await departure(build, points, taken)
  // A part of a build is given no more than its key is over.
  const usable = taken.filter(({ stage }) => stage === until?.stage || until?.uses.includes(stage))
  const made = until && (await makePrefix(build, until, usable))
  if (made) findings.prefixes = [...taken.filter(({ stage }) => stage !== made.stage), made]
}

/** Notes how far the builder came: all the way, or up to the instruction at `failed`. */
export async function noteBuilt(build: Build, failed?: { line: number }): Promise<void> {
  const points = keyedPoints(build).filter(({ line }) => !failed || line < failed.line)
  if (points.length === 0) return
  await noteBuiltPrefixes(
    build.db,
    build.order.environmentId,
    points.map(({ key }) => key),
  )
}

/** Forgets what the build took: a builder could not begin with it. */
export async function forgetPrefixes(build: Build): Promise<void> {
  for (const prefix of build.findings.prefixes ?? []) await forget(build, prefix)
}

async function forget({ db, tools: { storage } }: Build, prefix: PrefixName): Promise<void> {
  await forgetPrefix(db, prefix)
  await storage.delete(prefixObjectKey(prefix))
}

/** The places behind which something may be kept, each with the key over all that it depends on; none for owners who want everything done. */
function keyedPoints({ order, findings, tools }: Build): PrefixPoint[] {
  const { cacheEntry, points = [] } = findings
  if (!cacheEntry || order.cache === 'none') return []
  const { baseImages, toolchainDigest } = cacheEntry
  return points.map((point) => ({
    ...point,
    key: canonicalDigest({
      point: point.key,
      base_images: Object.fromEntries(baseImages.map(({ name, digest }) => [name, digest])),
      build_profile: order.buildProfile,
      toolchain: toolchainDigest,
      program: tools.builder.programDigest,
    }),
  }))
}

async function takeKept(build: Build, points: PrefixPoint[]): Promise<TakenPrefix[]> {
  const { companyId } = build.order
  const keys = points.map(({ key }) => key)
  const rows = Map.groupBy(await findPrefixes(build.db, { companyId, keys }), ({ key }) => key)
  const taken = new Map<number, TakenPrefix>()
  for (const { stage, count, key } of points.toReversed()) {
    if (taken.has(stage)) continue
    const prefix = await firstIntact(build, rows.get(key) ?? [])
    if (!prefix) continue
    taken.set(stage, { ...prefix, stage, count })
    await notePrefixUsed(build.db, prefix)
  }
  return [...taken.values()]
}

/** The first of them that can be taken; those before it are forgotten. */
async function firstIntact(build: Build, rows: PrefixRow[]): Promise<KeptPrefix | undefined> {
  for (const row of rows) {
    const prefix = vouchedPrefix(row, build.tools.signing)
    if (prefix && (await isIntact(build, prefix))) return prefix
    await forget(build, row)
  }
  return undefined
}

/** Whether the stored bytes are still those that were signed. */
async function isIntact({ tools: { storage, log } }: Build, prefix: KeptPrefix): Promise<boolean> {
  const { byteSize } = prefix
  const digest = await storedDigest(storage, { key: prefixObjectKey(prefix), byteSize })
  if (digest !== prefix.objectDigest) log.warn({ key: prefix.key }, 'a kept prefix is missing or damaged')
  return digest === prefix.objectDigest
}

/** The place up to which the environment's last build did the same, where nothing kept leads nearly as far. */
async function departure(
  { db, order }: Build,
  points: PrefixPoint[],
  taken: TakenPrefix[],
): Promise<PrefixPoint | undefined> {
  const built = new Set(await readBuiltPrefixes(db, order.environmentId))
  const gain = ({ stage, count }: PrefixPoint) =>
    count - (taken.find((prefix) => prefix.stage === stage)?.count ?? 0)
  return points
    .filter((point) => built.has(point.key) && gain(point) > 0)
    .toSorted((one, other) => gain(other) - gain(one))[0]
}
