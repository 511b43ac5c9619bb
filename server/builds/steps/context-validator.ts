import type { ArchiveFormat, ArchiveSource } from '../archive/archive.ts'
import { ArchiveRefused } from '../archive/archive-refused.ts'
import { HashedSource } from '../archive/hashed-source.ts'
import { BuildFailed } from '../build-failed.ts'
import { findContextFacts, noteContextFacts } from '../cache/context-facts-store.ts'
import { DockerfileRefused } from '../dockerfile/dockerfile-refused.ts'
import type { ContextFacts } from '../reader/reader-messages.ts'
import { storeBuildLog } from '../store-build-log.ts'
import type { Build, BuildOrder, BuildStep, BuildTools } from './step.ts'

/** Reads the whole archive once, so that nothing of it is built before all of it is known to be acceptable. */
export const contextValidator: BuildStep = {
  stage: 'context_validator',
  attemptStates: ['validating'],
  versionStates: [],
  async run(build: Build) {
    const { findings } = build
    try {
      const { canonicalDigest, bases, points } = await contextFacts(build)
      findings.canonicalDigest = canonicalDigest
      findings.bases = bases
      findings.points = points
    } catch (error) {
      const explain = (text: string) => storeBuildLog(build, Buffer.from(text))
      if (error instanceof ArchiveRefused) {
        await explain(error.explanation('archive'))
        throw new BuildFailed('context_invalid', error.errorDetail)
      }
      if (!(error instanceof DockerfileRefused)) throw error
      await explain(error.explanation)
      throw new BuildFailed('policy_reject', error.errorDetail)
    }
  },
}

/** The same bytes are checked once, unless the owner wants everything done again; that they are the same is always. */
async function contextFacts({ order, tools, signal, db }: Build): Promise<ContextFacts> {
  const source = new HashedSource(contextSource(order, tools))
  const context = {
    companyId: order.companyId,
    rawDigest: order.context?.digest ?? '',
    format: formatOf(order),
    gateDigest: tools.builder.programDigest,
  }
  const known = order.cache === 'none' ? undefined : await findContextFacts(db, context)
  const read = () => tools.readers.inspectContext(source, context.format, signal)
  // What is said of bytes that are not those that were uploaded counts for nothing.
  const [said] = await Promise.allSettled([known ?? read()])
  signal.throwIfAborted()
  if ((await source.digest()) !== context.rawDigest) {
    throw new BuildFailed('platform_failed', 'stored_context_damaged')
  }
  if (said.status === 'rejected') throw said.reason
  if (!known) await noteContextFacts(db, context, said.value)
  return said.value
}

/** The archive of a build as the reader wants it. Throws `context_invalid` when the version has none. */
export function contextSource({ context }: BuildOrder, { storage }: BuildTools): ArchiveSource {
  if (!context) throw new BuildFailed('context_invalid', 'context_missing')
  return { byteSize: context.byteSize, open: (range) => storage.get(context.key, range) }
}

export const formatOf = ({ context }: BuildOrder): ArchiveFormat => context?.format ?? 'tar'
