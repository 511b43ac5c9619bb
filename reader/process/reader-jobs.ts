import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { cachePoints } from '../dockerfile/cache-points.ts'
import { mayRead } from '../dockerfile/context-reads.ts'
import { withCopyChecks } from '../dockerfile/copy-checks.ts'
import type { Dockerfile } from '../dockerfile/dockerfile.ts'
import { DockerfileRefused } from '../dockerfile/dockerfile-refused.ts'
import { type BuilderSteps, failedInstruction } from '../dockerfile/failed-instruction.ts'
import { dockerfileText, type PartialBuild, readsOf, remainingBuild } from '../dockerfile/remaining-build.ts'
import { type ArchiveBounds, type ArchiveEntry, readArchive } from '../formats/archive.ts'
import { ArchiveRefused, onEntry, shownName } from '../formats/archive-refused.ts'
import { countBundleEntries, readBundleEntries } from '../formats/bundle-entries.ts'
import { ContentDigest } from '../formats/content-digest.ts'
import { refuseWhiteout } from '../formats/entry-path.ts'
import { canonicalTar, textFile } from '../formats/tar/canonical-tar.ts'
import { checkFlatImage } from '../images/flat-image.ts'
import { checkCachedStage, checkPulledImage } from '../images/image-archive.ts'
import { checkImageLayer } from '../images/image-layer.ts'
import { resolveName } from '../images/image-manifest.ts'
import { scanLayer, scanUpperLayer } from '../inventory/scan-layer.ts'
import { type ContextHead, readContextHead, wholeOf } from './context-head.ts'
import type { RangeInput } from './range-input.ts'
import type { ContextFacts, ReaderJob, Verdict } from './reader-messages.ts'

/** Performs one job. Throws errors that are not a refusal. */
export async function performJob(job: ReaderJob, input: RangeInput, tar: Writable): Promise<Verdict> {
  try {
    switch (job.kind) {
      case 'context':
        return { kind: job.kind, ...(await inspectContext(job, input)) }
      case 'instruction':
        return { kind: job.kind, found: await findInstruction(job, input) }
      case 'context_tar': {
        const entries = canonicalTar(contextEntries(job, input), job.modifiedAt)
        return { kind: job.kind, byteSize: await writeAll(entries, tar) }
      }
      case 'image':
        return { kind: job.kind, ...(await checkFlatImage(input.rest(), job.bounds)) }
      case 'layer':
        return { kind: job.kind, ...(await checkImageLayer(input.rest(), job.bounds)) }
      case 'bundle': {
        const source = input.source(job.byteSize)
        const entries = readBundleEntries(source, job.format, job.rules)
        return { kind: job.kind, files: await countBundleEntries(entries) }
      }
      case 'base_name':
        return { kind: job.kind, ...resolveName(await wholeOf(input.rest()), job.pinned) }
      case 'base_image':
        await checkPulledImage(input.rest(), job.digest)
        return { kind: job.kind }
      case 'cached_stage':
        return { kind: job.kind, image: await checkCachedStage(input.rest()) }
      case 'scan':
        await writeAll([Buffer.from(JSON.stringify(await scanLayer(input.rest())))], tar)
        return { kind: job.kind }
      case 'scan_layer':
        await writeAll([Buffer.from(JSON.stringify(await scanUpperLayer(input.rest(), job.paths)))], tar)
        return { kind: job.kind }
    }
  } catch (refusal) {
    if (refusal instanceof ArchiveRefused || refusal instanceof DockerfileRefused) {
      return { kind: 'refused', refusal }
    }
    throw refusal
  }
}

type ContextJob = Extract<ReaderJob, { bounds: ArchiveBounds }>

const readingOf = ({ format, byteSize, bounds }: ContextJob, input: RangeInput) => ({
  open: () => readArchive(input.source(byteSize), format, bounds),
  bounds,
})

/** Reads the whole archive, and checks its Dockerfile. */
async function inspectContext(job: ContextJob, input: RangeInput): Promise<ContextFacts> {
  let content = new ContentDigest()
  const watch = (entries: AsyncIterable<ArchiveEntry>) => {
    content = new ContentDigest()
    return withoutWhiteouts(content.through(entries))
  }
  const head = await readContextHead({ ...readingOf(job, input), watch })
  const { dockerfile, dockerfilePaths, isSeen } = head
  const { bases, finalBase = null } = dockerfile
  const canonicalDigest = content.digest((path) => dockerfilePaths.has(path) || isSeen(path))
  return { canonicalDigest, bases, finalBase, points: cachePoints(dockerfile, content.seenBy(isSeen)) }
}

async function* withoutWhiteouts(entries: AsyncIterable<ArchiveEntry>): AsyncGenerator<ArchiveEntry> {
  for await (const entry of entries) {
    onEntry(Buffer.from(entry.path), () => refuseWhiteout(entry.path))
    yield entry
  }
}

async function findInstruction(job: PartialJob & { steps: BuilderSteps }, input: RangeInput) {
  const head = await readContextHead(readingOf(job, input))
  return failedInstruction(checkedBuild(head, job.partial), job.steps) ?? null
}

/** The part of the Dockerfile that the builder gets. */
const checkedBuild = ({ dockerfile, tree }: ContextHead, partial: PartialBuild): Dockerfile =>
  remainingBuild(withCopyChecks(dockerfile, tree), partial)

type PartialJob = ContextJob & { partial: PartialBuild }

/**
 * The entries that the build script expects: the context in a folder, or the files of it that a part of the build may read,
 * the Dockerfile for the builder, notes for the log of the whole build, and last a marker that the input is complete.
 */
async function* contextEntries(job: PartialJob, input: RangeInput): AsyncGenerator<ArchiveEntry> {
  const head = await readContextHead(readingOf(job, input))
  const { tree, isSeen, open, folder } = head
  const remaining = checkedBuild(head, job.partial)
  const reads = job.partial.until && readsOf(remaining)
  const isWanted = (path: string) => isSeen(path) && (!reads || mayRead(reads, path))
  const linkedFiles = tree.filesLinkedFrom(isWanted)
  yield { path: 'context', kind: 'directory', mode: 0o755, byteSize: 0 }
  for await (const entry of open()) {
    const { path, linkTarget } = entry
    if (entry.kind === 'hard_link' && isWanted(path)) {
      yield { ...entry, path: `context/${path}`, linkTarget: placeOf(linkTarget ?? '', isWanted) }
    } else if (isWanted(path) || linkedFiles.has(path)) yield { ...entry, path: placeOf(path, isWanted) }
  }
  yield textFile('Dockerfile', dockerfileText(remaining))
  if (folder !== undefined && !job.partial.until) yield textFile('notes', folderNote(folder))
  yield { path: 'complete', kind: 'directory', mode: 0o755, byteSize: 0 }
}

const folderNote = (folder: string): string =>
  `warning: the folder ${shownName(Buffer.from(folder))} is all there is in the archive: it is taken as the build context.\n`

/** A file that the build sees only under another name is outside of its context. */
const placeOf = (path: string, isWanted: (path: string) => boolean): string =>
  isWanted(path) ? `context/${path}` : `linked/${path}`

/** Resolves with the number of bytes when all are flushed. The stream stays open for the next job. */
async function writeAll(chunks: AsyncIterable<Buffer> | Buffer[], stream: Writable): Promise<number> {
  let byteSize = 0
  for await (const bytes of chunks) {
    byteSize += bytes.length
    if (!stream.write(bytes)) await once(stream, 'drain')
  }
  await new Promise<void>((resolve) => {
    stream.write('', () => resolve())
  })
  return byteSize
}
