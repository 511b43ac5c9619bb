import type { FailedInstruction } from '@sandbox-jobs/contract/resources/build-details.ts'
import { parseStrictJson } from '../../base/strict-json.ts'
import type { ArchiveBounds, ArchiveFormat } from '../archive/archive.ts'
import { ArchiveRefused, isArchiveRefusal, isShownEntry } from '../archive/archive-refused.ts'
import type { BundleFormat, BundleRules } from '../archive/bundle-entries.ts'
import type { FlatImageBounds, FlatImageCounts } from '../archive/flat-image.ts'
import type { ResolvedName } from '../bases/image-manifest.ts'
import { MAX_BASES } from '../dockerfile/dockerfile.ts'
import { DockerfileRefused, isDockerfileRefusal } from '../dockerfile/dockerfile-refused.ts'
import { type BuilderSteps, instructionTextMax } from '../dockerfile/failed-instruction.ts'
import { isRegistryReference } from '../dockerfile/image-reference.ts'
import { maxPrefixPoints, type PrefixPoint } from '../dockerfile/prefix-points.ts'
import type { PartialBuild } from '../dockerfile/remaining-build.ts'
import { MAX_STAGES, stageAlias } from '../dockerfile/stages.ts'

/*
 * What the worker and a reader process say to each other, a line of JSON each. The worker sends a job; the reader asks
 * for ranges of the archive, which come through its standard input, and ends with a verdict. A reader that has fallen to
 * an archive may say anything: its lines are bounded, and every value is checked before it is believed.
 */

/** File descriptors of a reader besides its standard input. */
export const controlFd = 3
export const tarFd = 4

export type ReaderJob =
  /** Reads a build context and its Dockerfile. */
  | { kind: 'context'; format: ArchiveFormat; byteSize: number; bounds: ArchiveBounds }
  /** Finds the instruction at which a builder of this context stopped. */
  | {
      kind: 'instruction'
      format: ArchiveFormat
      byteSize: number
      bounds: ArchiveBounds
      steps: BuilderSteps
      partial: PartialBuild
    }
  /** Writes a build context down again, as the tar that a build sandbox takes. */
  | {
      kind: 'context_tar'
      format: ArchiveFormat
      byteSize: number
      bounds: ArchiveBounds
      partial: PartialBuild
    }
  /** Reads a bundle of a task. */
  | { kind: 'bundle'; format: BundleFormat; byteSize: number; rules: BundleRules }
  /** Reads a built image, which is its whole standard input. */
  | { kind: 'image'; bounds: FlatImageBounds }
  /** Reads what a registry has under a name, or under the digest `pinned`, which is its whole standard input. */
  | { kind: 'base_name'; pinned?: string }
  /** Reads a base image as a pull left it, which is its whole standard input. */
  | { kind: 'base_image'; digest: string }
  /** Reads what the first instructions of a stage made, which is its whole standard input. */
  | { kind: 'prefix' }
  /** Looks for packages and more in a stored image, which is its whole standard input, and writes an inventory. */
  | { kind: 'scan' }

/** What is known of a build context that is accepted. */
export interface ContextFacts {
  /** Over what it holds: the same in every order, format and compression. */
  canonicalDigest: string
  /** Registry references that its Dockerfile starts from. */
  bases: string[]
  /** What of it may be kept between builds. */
  points: PrefixPoint[]
}

export type Verdict =
  | ({ kind: 'context' } & ContextFacts)
  /** `byteSize` of the tar: what arrived of it is all. */
  | { kind: 'context_tar'; byteSize: number }
  | { kind: 'bundle'; files: number }
  | { kind: 'scan' | 'base_image' }
  /** `image`: digest of its manifest. */
  | { kind: 'prefix'; image: string }
  | ({ kind: 'base_name' } & ResolvedName)
  | { kind: 'instruction'; found: FailedInstruction | null }
  | ({ kind: 'image' } & FlatImageCounts)
  | { kind: 'refused'; refusal: ArchiveRefused | DockerfileRefused }

export interface ByteRange {
  start: number
  /** Inclusive. */
  end: number
}

export type ReaderLine = { open: ByteRange } | { verdict: Verdict }

/** The first line of a reader: what ends it before that is no archive's doing. */
export const readyLine = '{"ready":true}\n'

/** What the program that starts a reader writes before: the number of its process. */
export function parseReaderNumber(line: Buffer): number | undefined {
  const digits = /^{"pid":([1-9]\d{0,9})}$/.exec(line.toString('latin1'))?.[1]
  return digits === undefined ? undefined : Number(digits)
}

const lineBounds = { maxBytes: 128 * 1024, maxDepth: 6, maxNodes: 10_000 }
export const maxLineBytes = lineBounds.maxBytes

/** A line of a reader; undefined for one that no reader in its senses writes. */
export function parseReaderLine(line: Buffer): ReaderLine | undefined {
  try {
    const told = parseStrictJson(line, lineBounds) as Told
    if (told.open) return isRange(told.open) ? { open: told.open } : undefined
    const verdict = told.verdict && parseVerdict(told.verdict)
    return verdict && { verdict }
  } catch {
    return undefined
  }
}

/** Any JSON: only what has been looked at is of these types. */
interface Told {
  open?: ByteRange
  verdict?: ToldVerdict
}

interface ToldVerdict {
  kind?: unknown
  canonicalDigest?: unknown
  digest?: unknown
  image?: unknown
  bases?: unknown
  points?: unknown
  found?: unknown
  byteSize?: unknown
  files?: unknown
  unpackedBytes?: unknown
  entries?: unknown
  slug?: unknown
  entry?: unknown
  line?: unknown
}

function parseVerdict(told: ToldVerdict): Verdict | undefined {
  const {
    kind,
    canonicalDigest,
    digest,
    image,
    bases,
    points,
    found,
    byteSize,
    files,
    unpackedBytes,
    entries,
    slug,
    entry,
    line,
  } = told
  switch (kind) {
    case 'context':
      return isDigest(canonicalDigest) && areBases(bases) && arePoints(points)
        ? { kind, canonicalDigest, bases, points }
        : undefined
    case 'context_tar':
      return isCount(byteSize) ? { kind, byteSize } : undefined
    case 'scan':
    case 'base_image':
      return { kind }
    case 'prefix':
      return isDigest(image) ? { kind, image } : undefined
    case 'bundle':
      return isCount(files) ? { kind, files } : undefined
    case 'base_name':
      return isDigest(digest) && isDigest(image) ? { kind, digest, image } : undefined
    case 'instruction':
      return found === null || isInstruction(found) ? { kind, found } : undefined
    case 'image':
      return isCount(unpackedBytes) && isCount(entries) ? { kind, unpackedBytes, entries } : undefined
    case 'archive_refused':
      if (typeof slug !== 'string' || !isArchiveRefusal(slug)) return undefined
      if (entry !== undefined && !isShownEntry(entry)) return undefined
      return { kind: 'refused', refusal: new ArchiveRefused(slug, entry) }
    case 'dockerfile_refused':
      if (typeof slug !== 'string' || !isDockerfileRefusal(slug) || !isCount(line)) return undefined
      return { kind: 'refused', refusal: new DockerfileRefused(slug, line) }
    default:
      return undefined
  }
}

/** The same on the other side. */
export function verdictLine(verdict: Verdict): string {
  if (verdict.kind !== 'refused') return `${JSON.stringify({ verdict })}\n`
  const { refusal } = verdict
  const told =
    refusal instanceof DockerfileRefused
      ? { kind: 'dockerfile_refused', slug: refusal.slug, line: refusal.line }
      : { kind: 'archive_refused', slug: refusal.slug, entry: refusal.entry }
  return `${JSON.stringify({ verdict: told })}\n`
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0

const isRange = ({ start, end }: ByteRange): boolean => isCount(start) && isCount(end) && start <= end

const isDigest = (value: unknown): value is string =>
  typeof value === 'string' && /^sha256:[0-9a-f]{64}$/.test(value)

function isInstruction(value: unknown): value is FailedInstruction {
  const { line, stage, stage_name: name, text, ...more } = Object(value) as Partial<FailedInstruction>
  const isNamed = name === null || (typeof name === 'string' && stageAlias.test(name))
  const isText = typeof text === 'string' && text.length <= instructionTextMax
  return isCount(line) && isCount(stage) && isNamed && isText && Object.keys(more).length === 0
}

const areBases = (value: unknown): value is string[] =>
  Array.isArray(value) &&
  value.length <= MAX_BASES &&
  value.every((name) => typeof name === 'string' && isRegistryReference(name))

const arePoints = (value: unknown): value is PrefixPoint[] =>
  Array.isArray(value) && value.length <= maxPrefixPoints && value.every(isPoint)

function isPoint(value: unknown): boolean {
  const { stage, count, line, uses, key, ...more } = Object(value) as Partial<PrefixPoint>
  const isKey = typeof key === 'string' && /^[0-9a-f]{64}$/.test(key)
  const areStages = Array.isArray(uses) && uses.length <= MAX_STAGES && uses.every(isCount)
  return (
    isCount(stage) && isCount(count) && isCount(line) && areStages && isKey && Object.keys(more).length === 0
  )
}
