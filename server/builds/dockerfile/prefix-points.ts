import { sha256Of } from '../../base/sha256.ts'
import type { ContentDigest } from '../archive/content-digest.ts'
import { type ContextReads, contextReads, mayRead } from './context-reads.ts'
import type { Dockerfile } from './dockerfile.ts'
import { neededStages, sourcesOf } from './needed-stages.ts'
import { earlierStage, type StagedInstruction } from './stages.ts'

/*
 * The prefixes of a Dockerfile's stages: what the first instructions of a stage make, and a key for each that is equal
 * only where these make the same. A key is over all that can have an influence, by a chain:
 *
 *   key of a stage         names of it and the stages before, global arguments, key of the stage that it starts from
 *   key of an instruction  key before it, its own text, keys of the stages that it copies from, and the digest of
 *                          all that it may read of the context
 *
 * Base images stand in it by their names; whoever uses a key adds their digests, and what builds.
 *
 * What is not understood for certain has no key, nor has anything behind it. The configuration of an image carries what
 * came before, but for arguments: these are given again (`remaining-build.ts`).
 */

/** A place in a stage that is needed, behind an instruction that changes files. */
export interface PrefixPoint {
  /** Of the stage, from 0. */
  stage: number
  /** Instructions of the stage before the place, without its `FROM`. */
  count: number
  /** Of the last of them, in the Dockerfile. */
  line: number
  /** Stages that it starts or copies from, and these from. */
  uses: number[]
  /** 64 hex digits. */
  key: string
}

export const maxPrefixPoints = 100

/** All of a stage. */
type StageEnd = Pick<PrefixPoint, 'key' | 'uses'>

const changesFiles = new Set(['RUN', 'COPY', 'ADD'])
const changesConfig = new Set(
  'ARG CMD ENTRYPOINT ENV EXPOSE HEALTHCHECK LABEL MAINTAINER SHELL STOPSIGNAL USER WORKDIR'.split(' '),
)
/** They lie beside the Dockerfile, wherever that lies. */
const ownIgnoreFile = /^Dockerfile\.(?:docker|container)ignore$/

export function prefixPoints(dockerfile: Dockerfile, content: ContentDigest): PrefixPoint[] {
  const { stages, instructions } = dockerfile
  const points: PrefixPoint[] = []
  if (content.digest((path) => ownIgnoreFile.test(path)) !== emptyDigest) return points
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
      const inputs = [step.source, ...sources, readBy(step, content)]
      key = isCarried(step, seen) ? chained(key, ...inputs) : undefined
      for (const { from } of copied) {
        if (from !== undefined) for (const each of [from, ...(ends.get(from)?.uses ?? [])]) uses.add(each)
      }
      if (key !== undefined && changesFiles.has(step.keyword)) {
        points.push({ stage, count: at + 1, line: step.line, uses: [...uses], key })
        if (points.length === maxPrefixPoints) return points
      }
    }
    if (key !== undefined) ends.set(stage, { key, uses: [...uses] })
  }
  return points
}

const emptyDigest = sha256Of(Buffer.alloc(0))

/** Undefined where a part is. */
function chained(...parts: unknown[]): string | undefined {
  if (parts.includes(undefined)) return undefined
  return sha256Of(Buffer.from(JSON.stringify(parts))).slice('sha256:'.length)
}

/** The digest of what an instruction may read of the context; undefined where that is not certain. */
function readBy(step: StagedInstruction, content: ContentDigest): string | undefined {
  const reads = contextReads(step)
  if (reads.paths.length + reads.beginnings.length === 0) return ''
  if (mayFollowLink(reads, content.links) || readsHardLink(reads, content.hardLinks)) return undefined
  return content.digest((path) => mayRead(reads, path))
}

/** A part of a build is given the files that it reads: a hard link may lead to one that it is not given. */
const readsHardLink = (reads: ContextReads, hardLinks: readonly string[]): boolean =>
  !reads.beginnings.includes('') && hardLinks.some((path) => mayRead(reads, path))

/** Where a link is on the way to a source, or may be one, the builder reads what lies elsewhere. */
const mayFollowLink = ({ paths, beginnings }: ContextReads, links: readonly string[]): boolean =>
  !beginnings.includes('') &&
  links.some(
    (link) =>
      paths.some((path) => path === link || path.startsWith(`${link}/`)) ||
      beginnings.some((beginning) => link.startsWith(beginning) || beginning.startsWith(`${link}/`)),
  )

/** What the instructions of a stage have set. */
class Variables {
  readonly args: string[] = []
  readonly env: string[] = []
}

/**
 * True when what the instruction does is in the image, or can be given again: the order counts of a name that is an
 * argument and a variable.
 */
function isCarried({ keyword, flags, rest }: StagedInstruction, seen: Variables): boolean {
  if (changesFiles.has(keyword)) return flags.every(({ name }) => name !== 'mount')
  if (!changesConfig.has(keyword)) return false
  if (keyword === 'ARG') {
    const names = rest.split(/[\t ]+/).map((word) => word.split('=')[0] ?? '')
    seen.args.push(...names)
    const isPlain = !rest.includes('$') && names.every((name) => /^\w+$/.test(name))
    return isPlain && !seen.env.some((text) => mayName(text, names))
  }
  if (keyword !== 'ENV') return true
  seen.env.push(rest)
  return !mayName(rest, seen.args)
}

/** Whether an `ENV` may set one of the arguments. A name behind a dollar sign is only read. */
const mayName = (text: string, args: string[]): boolean =>
  (args.length > 0 && /\$\{?\w+\}?["']?=/.test(text)) ||
  args.some((name) => new RegExp(`(?<![\\w$]|\\$\\{)${name}(?!\\w)`).test(text))
