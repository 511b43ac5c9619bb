import { sha256Of } from '../../server/base/sha256.ts'
import type { ContentView } from '../formats/content-digest.ts'
import { type ContextReads, contextReads, isAtOrBelow, mayRead } from './context-reads.ts'
import type { Dockerfile } from './dockerfile.ts'
import { neededStages, sourcesOf } from './needed-stages.ts'
import { earlierStage, type StagedInstruction } from './stages.ts'

/*
 * The points of a Dockerfile at which the layers of a stage may be cached. Each point has a key, which is equal only if the
 * instructions before it give the same result. A key is a chain of hashes over everything that can have an influence:
 *
 *   key of a stage         names of it and the stages before, global arguments, key of the stage that it starts from
 *   key of an instruction  key before it, its own text, keys of the stages that it copies from, and the digest of
 *                          all that it may read of the context
 *
 * Keys have base images by name; the user of a key adds their digests and the builder's.
 *
 * An instruction whose inputs are not certain has no key, and neither has any instruction after it. The configuration of an
 * image keeps the effects of earlier instructions, except arguments, which are repeated (`remaining-build.ts`).
 */

/** A point in a needed stage, after an instruction that changes files. */
export interface CachePoint {
  /** Index of the stage, from 0. */
  stage: number
  /** Number of instructions of the stage before the point, without its `FROM`. */
  count: number
  /** Line of the last of them in the Dockerfile. */
  line: number
  /** Stages that it starts or copies from, directly or through others. */
  uses: number[]
  /** 64 hex digits. */
  key: string
}

export const maxCachePoints = 100

/** The end of a stage. */
type StageEnd = Pick<CachePoint, 'key' | 'uses'>

const changesFiles = new Set(['RUN', 'COPY', 'ADD'])
const changesConfig = new Set(
  'ARG CMD ENTRYPOINT ENV EXPOSE HEALTHCHECK LABEL MAINTAINER SHELL STOPSIGNAL USER WORKDIR'.split(' '),
)

export function cachePoints(dockerfile: Dockerfile, content: ContentView): CachePoint[] {
  const { stages, instructions } = dockerfile
  const points: CachePoint[] = []
  const globals = instructions.filter(({ stage }) => stage === -1).map(({ source }) => source)
  const ends = new Map<number, StageEnd>()
  for (const stage of neededStages(dockerfile)) {
    const origin = earlierStage(stages[stage]?.from ?? '', stage, stages)
    const names = stages.slice(0, stage + 1).map((each) => [each.from, each.alias ?? null])
    const steps = instructions.filter((each) => each.stage === stage && each.keyword !== 'FROM')
    let key = chained('stage', globals, names, origin === undefined ? null : ends.get(origin)?.key)
    const uses = new Set(origin === undefined ? [] : [origin, ...(ends.get(origin)?.uses ?? [])])
    const seen = new Variables()
    for (const [at, step] of steps.entries()) {
      if (key === undefined) break
      const copied = sourcesOf(step).map((name) => ({ name, from: earlierStage(name, stage, stages) }))
      const sources = copied.map(({ name, from }) => (from === undefined ? name : ends.get(from)?.key))
      const inputs = [step.source, ...sources, contextReadDigest(step, content)]
      key = isCacheable(step, seen) ? chained(key, ...inputs) : undefined
      for (const { from } of copied) {
        if (from !== undefined) for (const each of [from, ...(ends.get(from)?.uses ?? [])]) uses.add(each)
      }
      if (key !== undefined && changesFiles.has(step.keyword)) {
        points.push({ stage, count: at + 1, line: step.line, uses: [...uses], key })
        if (points.length === maxCachePoints) return points
      }
    }
    if (key !== undefined) ends.set(stage, { key, uses: [...uses] })
  }
  return points
}

/** Undefined if a part is undefined. */
function chained(...parts: unknown[]): string | undefined {
  if (parts.includes(undefined)) return undefined
  return sha256Of(Buffer.from(JSON.stringify(parts))).slice('sha256:'.length)
}

/** The digest of the context files that an instruction may read; undefined if they are not certain. */
function contextReadDigest(step: StagedInstruction, content: ContentView): string | undefined {
  const reads = contextReads(step)
  if (reads.paths.size + reads.pathPrefixes.length === 0) return ''
  if (mayFollowLink(reads, content.links) || readsHardLink(reads, content.hardLinks)) return undefined
  return content.digest((path) => mayRead(reads, path))
}

/** A part of a build gets only the files that it reads, and a hard link may lead to another file. */
const readsHardLink = (reads: ContextReads, hardLinks: readonly string[]): boolean =>
  !reads.pathPrefixes.includes('') && hardLinks.some((path) => mayRead(reads, path))

/** If a link is, or may be, on the path of a source, the builder reads files elsewhere. */
const mayFollowLink = ({ paths, pathPrefixes }: ContextReads, links: ReadonlySet<string>): boolean =>
  !pathPrefixes.includes('') &&
  ([...paths, ...pathPrefixes].some((read) => isAtOrBelow(read, links)) ||
    [...links].some((link) => pathPrefixes.some((prefix) => link.startsWith(prefix))))

/** Names that the instructions of a stage have set: arguments, and all that may be names of variables. */
class Variables {
  readonly args = new Set<string>()
  readonly env = new Set<string>()
  /** Whether the name of a variable depends on another one. */
  isEnvComputed = false
}

/**
 * True if the effect of the instruction is in the image, or can be repeated. False for a name that is both an
 * argument and a variable, since their order matters.
 */
function isCacheable({ keyword, flags, rest }: StagedInstruction, seen: Variables): boolean {
  if (changesFiles.has(keyword)) return flags.every(({ name }) => name !== 'mount')
  if (!changesConfig.has(keyword)) return false
  if (keyword === 'ARG') {
    const names = rest.split(/[\t ]+/).map((word) => word.split('=')[0] ?? '')
    for (const name of names) seen.args.add(name)
    const isPlain = !rest.includes('$') && names.every((name) => /^\w+$/.test(name))
    return isPlain && !seen.isEnvComputed && !names.some((name) => seen.env.has(name))
  }
  if (keyword !== 'ENV') return true
  const names = rest.match(nameOfVariable) ?? []
  for (const name of names) seen.env.add(name)
  seen.isEnvComputed ||= /\$\{?\w+\}?["']?=/.test(rest)
  return !(seen.isEnvComputed && seen.args.size > 0) && !names.some((name) => seen.args.has(name))
}

/** Text that may be a name that an `ENV` sets. A name after a dollar sign is only read. */
const nameOfVariable = /(?<![\w$]|\$\{)\w+/g
