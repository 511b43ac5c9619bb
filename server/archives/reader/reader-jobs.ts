import { once } from 'node:events'
import { Readable, type Writable } from 'node:stream'
import { cachePoints } from '../dockerfile/cache-points.ts'
import { mayRead } from '../dockerfile/context-reads.ts'
import { checkDockerfile, type Dockerfile, MAX_DOCKERFILE_BYTES } from '../dockerfile/dockerfile.ts'
import { DockerfileRefused } from '../dockerfile/dockerfile-refused.ts'
import { type BuilderSteps, failedInstruction } from '../dockerfile/failed-instruction.ts'
import { dockerfileText, type PartialBuild, readsOf, remainingBuild } from '../dockerfile/remaining-build.ts'
import { type ArchiveBounds, type ArchiveEntry, readArchive } from '../formats/archive.ts'
import { countBundleEntries, readBundleEntries } from '../formats/bundle-entries.ts'
import { ContentDigest } from '../formats/content-digest.ts'
import { refuseWhiteout } from '../formats/entry-path.ts'
import { ArchiveRefused, onEntry } from '../formats/refusals/archive-refused.ts'
import { canonicalTar, textFile } from '../formats/tar/canonical-tar.ts'
import { checkFlatImage } from '../images/flat-image.ts'
import { checkCachedStage, checkPulledImage } from '../images/image-archive.ts'
import { checkImageLayer } from '../images/image-layer.ts'
import { resolveName } from '../images/image-manifest.ts'
import { scanLayer, scanUpperLayer } from '../inventory/scan-layer.ts'
import type { RangeInput } from './range-input.ts'
import type { ContextFacts, ReaderJob, Verdict } from './reader-messages.ts'

/** Performs one job. Throws errors that are not a refusal. */
export async function performJob(job: ReaderJob, input: RangeInput, tar: Writable): Promise<Verdict> {
  try {
    switch (job.kind) {
      case 'context':
        return { kind: job.kind, ...(await inspectContext(entriesOf(job, input))) }
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

const entriesOf = ({ format, byteSize, bounds }: ContextJob, input: RangeInput) =>
  readArchive(input.source(byteSize), format, bounds)

/** Reads the whole archive, and checks its Dockerfile. */
async function inspectContext(entries: AsyncIterable<ArchiveEntry>): Promise<ContextFacts> {
  const digest = new ContentDigest()
  let dockerfile: Buffer | undefined
  for await (const entry of digest.through(entries)) {
    onEntry(Buffer.from(entry.path), () => refuseWhiteout(entry.path))
    if (entry.path === 'Dockerfile') dockerfile = await contentOf(entry)
  }
  if (!dockerfile) throw new ArchiveRefused('dockerfile_missing')
  const checked = checkDockerfile(dockerfile)
  const { bases, finalBase = null } = checked
  return { canonicalDigest: digest.digest(), bases, finalBase, points: cachePoints(checked, digest) }
}

async function findInstruction(job: PartialJob & { steps: BuilderSteps }, input: RangeInput) {
  return failedInstruction(await remainingIn(job, input), job.steps) ?? null
}

type PartialJob = ContextJob & { partial: PartialBuild }

/** The remaining part of an accepted context's Dockerfile. */
async function remainingIn(job: PartialJob, input: RangeInput): Promise<Dockerfile> {
  for await (const entry of entriesOf(job, input)) {
    if (entry.path !== 'Dockerfile') continue
    return remainingBuild(checkDockerfile(await contentOf(entry)), job.partial)
  }
  throw new ArchiveRefused('dockerfile_missing')
}

async function contentOf({ body, byteSize }: ArchiveEntry): Promise<Buffer> {
  if (!body) throw new ArchiveRefused('dockerfile_not_a_file')
  if (byteSize > MAX_DOCKERFILE_BYTES) throw new DockerfileRefused('dockerfile_too_large', 1)
  return wholeOf(body)
}

async function wholeOf(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const bytes of stream) chunks.push(bytes)
  return Buffer.concat(chunks)
}

/**
 * The entries that the build script expects: the context in a folder, or the files of it that a part of the build may read,
 * the Dockerfile for the builder, and last a marker that the input is complete.
 */
async function* contextEntries(job: PartialJob, input: RangeInput): AsyncGenerator<ArchiveEntry> {
  const { partial } = job
  const { until, done, stageArguments = [] } = partial
  const isPart = until !== undefined || done.length > 0 || stageArguments.length > 0
  let remaining = isPart ? await remainingIn(job, input) : undefined
  const reads = remaining && until && readsOf(remaining)
  yield { path: 'context', kind: 'directory', mode: 0o755, byteSize: 0 }
  for await (const entry of entriesOf(job, input)) {
    if (reads && !mayRead(reads, entry.path)) continue
    if (remaining || entry.path !== 'Dockerfile') {
      yield inContext(entry)
      continue
    }
    // The archive of a whole build is read once.
    const content = await contentOf(entry)
    remaining = checkDockerfile(content)
    yield inContext({ ...entry, body: Readable.from([content]) })
  }
  if (!remaining) throw new ArchiveRefused('dockerfile_missing')
  yield textFile('Dockerfile', dockerfileText(remaining))
  yield { path: 'complete', kind: 'directory', mode: 0o755, byteSize: 0 }
}

/** A symbolic link's target is relative to the link, a hard link's to the archive. */
const inContext = (entry: ArchiveEntry): ArchiveEntry => ({
  ...entry,
  path: `context/${entry.path}`,
  ...(entry.kind === 'hard_link' && { linkTarget: `context/${entry.linkTarget}` }),
})

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
