import { parseStrictJson } from '@sandbox-jobs/contract/input-schema/strict-json.ts'
import type { FailedInstruction } from '@sandbox-jobs/contract/resources/builds/build-details.ts'
import { type CachePoint, maxCachePoints } from '../dockerfile/cache-points.ts'
import { MAX_BASES } from '../dockerfile/dockerfile.ts'
import { DockerfileRefused, isDockerfileRefusal, keywords } from '../dockerfile/dockerfile-refused.ts'
import { type BuilderSteps, instructionTextMax } from '../dockerfile/failed-instruction.ts'
import { isRegistryReference } from '../dockerfile/image-reference.ts'
import type { PartialBuild } from '../dockerfile/remaining-build.ts'
import { MAX_STAGES, stageAlias } from '../dockerfile/stages.ts'
import type { ArchiveBounds, ArchiveFormat } from '../formats/archive.ts'
import { isArchiveRefusal } from '../formats/archive-refusals.ts'
import { ArchiveRefused, isShownEntry } from '../formats/archive-refused.ts'
import type { BundleFormat, BundleRules } from '../formats/bundle-entries.ts'
import type { FlatImageBounds, FlatImageCounts } from '../images/flat-image.ts'
import type { ResolvedName } from '../images/image-manifest.ts'

/*
 * The protocol between worker and reader process, in lines of JSON. The worker sends a job; the reader requests
 * ranges of the archive, which arrive on its standard input, and ends with a verdict. A reader that an archive
 * took over may send anything: its lines are bounded, and every value is checked before use.
 */

/** File descriptors of a reader in addition to its standard input. */
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
  /** Rewrites a build context as a canonical tar for a build sandbox. */
  | {
      kind: 'context_tar'
      format: ArchiveFormat
      byteSize: number
      bounds: ArchiveBounds
      partial: PartialBuild
      /** For entries without a time (`file-time.ts`). */
      modifiedAt: number
    }
  /** Reads a bundle of a task. */
  | { kind: 'bundle'; format: BundleFormat; byteSize: number; rules: BundleRules }
  /** Reads a built image from standard input. */
  | { kind: 'image'; bounds: FlatImageBounds }
  /** Reads a layer above a base image from standard input. */
  | { kind: 'layer'; bounds: FlatImageBounds }
  /** Reads a registry's document for a name, or for the digest `pinned`, from standard input. */
  | { kind: 'base_name'; pinned?: string }
  /** Reads a pulled base image from standard input. */
  | { kind: 'base_image'; digest: string }
  /** Reads a cached stage from standard input. */
  | { kind: 'cached_stage' }
  /** Scans a stored image from standard input, and writes its inventory. */
  | { kind: 'scan' }
  /** The same for a layer; the inventory says which of `paths` the layer hides. */
  | { kind: 'scan_layer'; paths: string[] }

/** The facts about an accepted build context. */
export interface ContextFacts {
  /** Digest of the content, independent of order, format and compression. */
  canonicalDigest: string
  /** Base images of the Dockerfile, as registry references. */
  bases: string[]
  /** The one that the image is built on; null if that is `scratch`. */
  finalBase: string | null
  /** Points at which layers may be cached. */
  points: CachePoint[]
}

export type Verdict =
  | ({ kind: 'context' } & ContextFacts)
  /** `byteSize` of the tar, to detect a truncated one. */
  | { kind: 'context_tar'; byteSize: number }
  | { kind: 'bundle'; files: number }
  | { kind: 'scan' | 'scan_layer' | 'base_image' }
  /** `image`: digest of its manifest. */
  | { kind: 'cached_stage'; image: string }
  | ({ kind: 'base_name' } & ResolvedName)
  | { kind: 'instruction'; found: FailedInstruction | null }
  | ({ kind: 'image' | 'layer' } & FlatImageCounts)
  | { kind: 'refused'; refusal: ArchiveRefused | DockerfileRefused }

export interface ByteRange {
  start: number
  /** Inclusive. */
  end: number
}

export type ReaderLine = { open: ByteRange } | { verdict: Verdict }

/** The first line of a reader. A death before it is not caused by an archive. */
export const readyLine = '{"ready":true}\n'

/** Parses the line of the start program before it: the reader's process id. */
export function parseReaderNumber(line: Buffer): number | undefined {
  const digits = /^{"pid":([1-9]\d{0,9})}$/.exec(line.toString('latin1'))?.[1]
  return digits === undefined ? undefined : Number(digits)
}

const lineBounds = { maxBytes: 128 * 1024, maxDepth: 6, maxNodes: 10_000 }
export const maxLineBytes = lineBounds.maxBytes

/** Parses a line of a reader; undefined for anything that a correct reader does not write. */
export function parseReaderLine(line: Buffer): ReaderLine | undefined {
  try {
    const said = parseStrictJson(line, lineBounds) as UncheckedLine
    if (said.open) return isRange(said.open) ? { open: said.open } : undefined
    const verdict = said.verdict && parseVerdict(said.verdict)
    return verdict && { verdict }
  } catch {
    return undefined
  }
}

/** Any JSON; the types hold only after the checks below. */
interface UncheckedLine {
  open?: ByteRange
  verdict?: UncheckedVerdict
}

interface UncheckedVerdict {
  kind?: unknown
  canonicalDigest?: unknown
  digest?: unknown
  image?: unknown
  bases?: unknown
  finalBase?: unknown
  points?: unknown
  found?: unknown
  byteSize?: unknown
  files?: unknown
  unpackedBytes?: unknown
  entries?: unknown
  slug?: unknown
  entry?: unknown
  line?: unknown
  meant?: unknown
}

function parseVerdict(said: UncheckedVerdict): Verdict | undefined {
  const {
    kind,
    canonicalDigest,
    digest,
    image,
    bases,
    finalBase,
    points,
    found,
    byteSize,
    files,
    unpackedBytes,
    entries,
    slug,
    entry,
    line,
    meant,
  } = said
  switch (kind) {
    case 'context':
      return isDigest(canonicalDigest) && areBases(bases) && isAmong(bases, finalBase) && arePoints(points)
        ? { kind, canonicalDigest, bases, finalBase, points }
        : undefined
    case 'context_tar':
      return isCount(byteSize) ? { kind, byteSize } : undefined
    case 'scan':
    case 'scan_layer':
    case 'base_image':
      return { kind }
    case 'cached_stage':
      return isDigest(image) ? { kind, image } : undefined
    case 'bundle':
      return isCount(files) ? { kind, files } : undefined
    case 'base_name':
      return isDigest(digest) && isDigest(image) ? { kind, digest, image } : undefined
    case 'instruction':
      return found === null || isInstruction(found) ? { kind, found } : undefined
    case 'image':
    case 'layer':
      return isCount(unpackedBytes) && isCount(entries) ? { kind, unpackedBytes, entries } : undefined
    case 'archive_refused':
      if (typeof slug !== 'string' || !isArchiveRefusal(slug)) return undefined
      if (entry !== undefined && !isShownEntry(entry)) return undefined
      return { kind: 'refused', refusal: new ArchiveRefused(slug, entry) }
    case 'dockerfile_refused':
      if (typeof slug !== 'string' || !isDockerfileRefusal(slug) || !isCount(line)) return undefined
      if (meant !== undefined && !(typeof meant === 'string' && keywords.has(meant))) return undefined
      if (image !== undefined && !(typeof image === 'string' && isImageName(image))) return undefined
      return { kind: 'refused', refusal: new DockerfileRefused(slug, line, { meant, image }) }
    default:
      return undefined
  }
}

/** Renders a verdict as a line, in the reader. */
export function verdictLine(verdict: Verdict): string {
  if (verdict.kind !== 'refused') return `${JSON.stringify({ verdict })}\n`
  const { refusal } = verdict
  const { slug } = refusal
  const said =
    refusal instanceof DockerfileRefused
      ? { kind: 'dockerfile_refused', slug, line: refusal.line, meant: refusal.meant, image: refusal.image }
      : { kind: 'archive_refused', slug, entry: refusal.entry }
  return `${JSON.stringify({ verdict: said })}\n`
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

const isImageName = (value: string): boolean => isRegistryReference(value) || stageAlias.test(value)

const areBases = (value: unknown): value is string[] =>
  Array.isArray(value) &&
  value.length <= MAX_BASES &&
  value.every((name) => typeof name === 'string' && isRegistryReference(name))

const isAmong = (bases: string[], name: unknown): name is string | null =>
  name === null || (typeof name === 'string' && bases.includes(name))

const arePoints = (value: unknown): value is CachePoint[] =>
  Array.isArray(value) && value.length <= maxCachePoints && value.every(isPoint)

function isPoint(value: unknown): boolean {
  const { stage, count, line, uses, key, ...more } = Object(value) as Partial<CachePoint>
  const isKey = typeof key === 'string' && /^[0-9a-f]{64}$/.test(key)
  const areStages = Array.isArray(uses) && uses.length <= MAX_STAGES && uses.every(isCount)
  return (
    isCount(stage) && isCount(count) && isCount(line) && areStages && isKey && Object.keys(more).length === 0
  )
}
