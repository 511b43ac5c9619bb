import { createHash } from 'node:crypto'
import { type ArchiveSource, readArchive } from '../archive/archive.ts'
import { ArchiveRefused } from '../archive/archive-refused.ts'
import { ContentDigest } from '../archive/content-digest.ts'
import { BuildFailed } from '../build-failed.ts'
import { checkDockerfile } from '../dockerfile/dockerfile.ts'
import { DockerfileRefused } from '../dockerfile/dockerfile-refused.ts'
import type { Build, BuildOrder, BuildStep, BuildTools } from './step.ts'

const dockerfileMaxBytes = 1024 ** 2

/** Reads the whole archive once, so that nothing of it is built before all of it is known to be acceptable. */
export const contextValidator: BuildStep = {
  stage: 'context_validator',
  attemptStates: ['validating'],
  versionStates: [],
  async run({ order, findings, tools }: Build) {
    await verifyStored(order, tools)
    try {
      const { dockerfile, canonicalDigest } = await inspect(order, tools)
      if (!dockerfile) throw new BuildFailed('context_invalid', 'dockerfile_missing')
      findings.canonicalDigest = canonicalDigest
      findings.bases = checkDockerfile(dockerfile).bases
    } catch (error) {
      if (error instanceof ArchiveRefused) throw new BuildFailed('context_invalid', error.errorDetail)
      if (error instanceof DockerfileRefused) throw new BuildFailed('policy_reject', error.errorDetail)
      throw error
    }
  },
}

/** The archive of a build as the reader wants it. Throws `context_invalid` when the version has none. */
export function contextSource({ context }: BuildOrder, { storage }: BuildTools): ArchiveSource {
  if (!context) throw new BuildFailed('context_invalid', 'context_missing')
  return { byteSize: context.byteSize, open: (range) => storage.get(context.key, range) }
}

/** The stored bytes are still those that were uploaded. */
async function verifyStored(order: BuildOrder, tools: BuildTools): Promise<void> {
  const source = contextSource(order, tools)
  const hash = createHash('sha256')
  for await (const bytes of await source.open()) hash.update(bytes as Buffer)
  if (`sha256:${hash.digest('hex')}` !== order.context?.digest) {
    throw new BuildFailed('platform_failed', 'stored_context_damaged')
  }
}

async function inspect(order: BuildOrder, tools: BuildTools) {
  const digest = new ContentDigest()
  let dockerfile: Buffer | undefined
  for await (const entry of digest.through(
    readArchive(contextSource(order, tools), order.context?.format ?? 'tar'),
  )) {
    if (entry.path !== 'Dockerfile') continue
    if (entry.kind !== 'file' || !entry.body)
      throw new BuildFailed('context_invalid', 'dockerfile_not_a_file')
    if (entry.byteSize > dockerfileMaxBytes) throw new BuildFailed('policy_reject', 'dockerfile_too_large')
    const chunks: Buffer[] = []
    for await (const bytes of entry.body) chunks.push(bytes)
    dockerfile = Buffer.concat(chunks)
  }
  return { dockerfile, canonicalDigest: digest.digest() }
}
