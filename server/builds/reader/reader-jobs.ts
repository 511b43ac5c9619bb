import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { type ArchiveBounds, type ArchiveEntry, readArchive } from '../archive/archive.ts'
import { ArchiveRefused, onEntry } from '../archive/archive-refused.ts'
import { countBundleEntries, readBundleEntries } from '../archive/bundle-entries.ts'
import { canonicalTar, textFile } from '../archive/canonical-tar.ts'
import { ContentDigest } from '../archive/content-digest.ts'
import { refuseWhiteout } from '../archive/entry-path.ts'
import { checkFlatImage } from '../archive/flat-image.ts'
import { resolveName } from '../bases/image-manifest.ts'
import { checkPrefix, checkPulledImage } from '../bases/pulled-image.ts'
import { mayRead } from '../dockerfile/context-reads.ts'
import { checkDockerfile, type Dockerfile, MAX_DOCKERFILE_BYTES } from '../dockerfile/dockerfile.ts'
import { DockerfileRefused } from '../dockerfile/dockerfile-refused.ts'
import { type BuilderSteps, failedInstruction } from '../dockerfile/failed-instruction.ts'
import { prefixPoints } from '../dockerfile/prefix-points.ts'
import { dockerfileText, type PartialBuild, readsOf, remainingBuild } from '../dockerfile/remaining-build.ts'
import { scanLayer } from '../scan/scan-layer.ts'
import type { RangeInput } from './range-input.ts'
import type { ContextFacts, ReaderJob, Verdict } from './reader-messages.ts'

/** Does one job. Throws what is neither an acceptance nor a refusal. */
export async function judge(job: ReaderJob, input: RangeInput, tar: Writable): Promise<Verdict> {
  try {
    switch (job.kind) {
      case 'context':
        return { kind: job.kind, ...(await inspectContext(entriesOf(job, input))) }
      case 'instruction':
        return { kind: job.kind, found: await findInstruction(job, input) }
      case 'context_tar':
        return { kind: job.kind, byteSize: await writeAll(canonicalTar(delivered(job, input)), tar) }
      case 'image':
        return { kind: job.kind, ...(await checkFlatImage(input.rest(), job.bounds)) }
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
      case 'prefix':
        return { kind: job.kind, image: await checkPrefix(input.rest()) }
      case 'scan':
        await writeAll([Buffer.from(JSON.stringify(await scanLayer(input.rest())))], tar)
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

/** Reads the whole archive, and its Dockerfile as the gate does. */
async function inspectContext(entries: AsyncIterable<ArchiveEntry>): Promise<ContextFacts> {
  const digest = new ContentDigest()
  let dockerfile: Buffer | undefined
  for await (const entry of digest.through(entries)) {
    onEntry(Buffer.from(entry.path), () => refuseWhiteout(entry.path))
    if (entry.path === 'Dockerfile') dockerfile = await contentOf(entry)
  }
  if (!dockerfile) throw new ArchiveRefused('dockerfile_missing')
  const checked = checkDockerfile(dockerfile)
  return { canonicalDigest: digest.digest(), bases: checked.bases, points: prefixPoints(checked, digest) }
}

async function findInstruction(job: PartialJob & { steps: BuilderSteps }, input: RangeInput) {
  return failedInstruction(await remainingIn(job, input), job.steps) ?? null
}

type PartialJob = ContextJob & { partial: PartialBuild }

/** What is to be done of an accepted context's Dockerfile. */
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
 * As the build script expects it: the context in a folder, or as much of it as a part of the build may read, the
 * Dockerfile of that part, and last a proof that all of it arrived.
 */
async function* delivered(job: PartialJob, input: RangeInput): AsyncGenerator<ArchiveEntry> {
  const { partial } = job
  const isPart = partial.until !== undefined || partial.done.length > 0
  const remaining = isPart ? await remainingIn(job, input) : undefined
  const reads = remaining && partial.until && readsOf(remaining)
  yield { path: 'context', kind: 'directory', mode: 0o755, byteSize: 0 }
  for await (const entry of entriesOf(job, input)) {
    if (!reads || mayRead(reads, entry.path)) yield inContext(entry)
  }
  if (remaining) yield textFile('Dockerfile', dockerfileText(remaining))
  yield { path: 'complete', kind: 'directory', mode: 0o755, byteSize: 0 }
}

/** A symbolic link's target is relative to the link, a hard link's to the archive. */
const inContext = (entry: ArchiveEntry): ArchiveEntry => ({
  ...entry,
  path: `context/${entry.path}`,
  ...(entry.kind === 'hard_link' && { linkTarget: `context/${entry.linkTarget}` }),
})

/** Resolves with the bytes written when all of them have left the process; the stream stays open for the next job. */
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
