import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { type ArchiveBounds, type ArchiveEntry, readArchive } from '../archive/archive.ts'
import { ArchiveRefused } from '../archive/archive-refused.ts'
import { countBundleEntries, readBundleEntries } from '../archive/bundle-entries.ts'
import { canonicalTar } from '../archive/canonical-tar.ts'
import { ContentDigest } from '../archive/content-digest.ts'
import { checkFlatImage } from '../archive/flat-image.ts'
import { resolveName } from '../bases/image-manifest.ts'
import { checkPulledImage } from '../bases/pulled-image.ts'
import { checkDockerfile, MAX_DOCKERFILE_BYTES } from '../dockerfile/dockerfile.ts'
import { DockerfileRefused } from '../dockerfile/dockerfile-refused.ts'
import { type BuilderSteps, failedInstruction } from '../dockerfile/failed-instruction.ts'
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
        return { kind: job.kind, found: await findInstruction(entriesOf(job, input), job.steps) }
      case 'context_tar':
        return {
          kind: job.kind,
          byteSize: await writeAll(canonicalTar(delivered(entriesOf(job, input))), tar),
        }
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
    if (entry.path === 'Dockerfile') dockerfile = await contentOf(entry)
  }
  if (!dockerfile) throw new ArchiveRefused('dockerfile_missing')
  return { canonicalDigest: digest.digest(), bases: checkDockerfile(dockerfile).bases }
}

async function findInstruction(entries: AsyncIterable<ArchiveEntry>, steps: BuilderSteps) {
  for await (const entry of entries) {
    if (entry.path !== 'Dockerfile') continue
    return failedInstruction(checkDockerfile(await contentOf(entry)), steps) ?? null
  }
  return null
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

/** As the build script expects it: the context in a folder, and last a proof that all of it arrived. */
async function* delivered(entries: AsyncIterable<ArchiveEntry>): AsyncGenerator<ArchiveEntry> {
  yield { path: 'context', kind: 'directory', mode: 0o755, byteSize: 0 }
  for await (const entry of entries) yield { ...entry, path: `context/${entry.path}` }
  yield { path: 'complete', kind: 'directory', mode: 0o755, byteSize: 0 }
}

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
