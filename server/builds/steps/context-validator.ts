import { createHash } from 'node:crypto'
import type { ArchiveFormat, ArchiveSource } from '../archive/archive.ts'
import { ArchiveRefused } from '../archive/archive-refused.ts'
import { BuildFailed } from '../build-failed.ts'
import { buildLogKey } from '../build-log-key.ts'
import { findContextFacts, noteContextFacts } from '../cache/context-facts-store.ts'
import { DockerfileRefused } from '../dockerfile/dockerfile-refused.ts'
import type { ContextFacts } from '../reader/reader-messages.ts'
import type { Build, BuildOrder, BuildStep, BuildTools } from './step.ts'

/** Reads the whole archive once, so that nothing of it is built before all of it is known to be acceptable. */
export const contextValidator: BuildStep = {
  stage: 'context_validator',
  attemptStates: ['validating'],
  versionStates: [],
  async run(build: Build) {
    const { order, findings, tools } = build
    await verifyStored(order, tools)
    try {
      const { canonicalDigest, bases } = await contextFacts(build)
      findings.canonicalDigest = canonicalDigest
      findings.bases = bases
    } catch (error) {
      if (error instanceof ArchiveRefused) throw new BuildFailed('context_invalid', error.errorDetail)
      if (!(error instanceof DockerfileRefused)) throw error
      await tools.storage.put(buildLogKey(order.attemptId), Buffer.from(error.explanation))
      throw new BuildFailed('policy_reject', error.errorDetail)
    }
  },
}

/** The same bytes are read once, unless the owner wants everything done again. */
async function contextFacts({ order, tools, signal, db }: Build): Promise<ContextFacts> {
  const context = {
    companyId: order.companyId,
    rawDigest: order.context?.digest ?? '',
    format: formatOf(order),
    gateDigest: tools.builder.programDigest,
  }
  const known = order.cache === 'none' ? undefined : await findContextFacts(db, context)
  if (known) return known
  const facts = await tools.readers.inspectContext(contextSource(order, tools), context.format, signal)
  await noteContextFacts(db, context, facts)
  return facts
}

/** The archive of a build as the reader wants it. Throws `context_invalid` when the version has none. */
export function contextSource({ context }: BuildOrder, { storage }: BuildTools): ArchiveSource {
  if (!context) throw new BuildFailed('context_invalid', 'context_missing')
  return { byteSize: context.byteSize, open: (range) => storage.get(context.key, range) }
}

export const formatOf = ({ context }: BuildOrder): ArchiveFormat => context?.format ?? 'tar'

/** The stored bytes are still those that were uploaded. */
async function verifyStored(order: BuildOrder, tools: BuildTools): Promise<void> {
  const source = contextSource(order, tools)
  const hash = createHash('sha256')
  for await (const bytes of await source.open()) hash.update(bytes as Buffer)
  if (`sha256:${hash.digest('hex')}` !== order.context?.digest) {
    throw new BuildFailed('platform_failed', 'stored_context_damaged')
  }
}
