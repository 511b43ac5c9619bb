import { DockerfileRefused } from '../../../reader/dockerfile/dockerfile-refused.ts'
import { ArchiveRefused } from '../../../reader/formats/archive-refused.ts'
import { HashedSource } from '../../../reader/formats/hashed-source.ts'
import type { ContextFacts } from '../../../reader/process/reader-messages.ts'
import { findContextFacts, recordContextFacts } from '../cache/context-facts-store.ts'
import { storeBuildLog } from '../logs/build-log.ts'
import type { Build } from '../request/build.ts'
import { BuildFailed } from '../request/build-failed.ts'
import { contextSource, formatOf } from '../request/build-request.ts'
import type { Step } from './step.ts'

export type Validated = ContextFacts

/** Reads the whole archive once, so that nothing is built before all of it is accepted. */
export const validateContext: Step<object, Validated> = {
  name: 'validate_context',
  stage: 'context_validator',
  async run(build) {
    try {
      return await contextFacts(build)
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

/** The same bytes are inspected once, unless the owner switched the cache off. Their digest is verified every time. */
async function contextFacts({ request, tools, signal, db }: Build): Promise<Validated> {
  const source = new HashedSource(contextSource(request, tools.storage))
  const context = {
    companyId: request.companyId,
    rawDigest: request.context?.digest ?? '',
    format: formatOf(request),
    gateDigest: tools.builder.programDigest,
  }
  const known = request.cache === 'none' ? undefined : await findContextFacts(db, context)
  const read = () => tools.readers.inspectContext(source, context.format, signal)
  // The results count only if the stored bytes are the uploaded ones.
  const [inspected] = await Promise.allSettled([known ?? read()])
  signal.throwIfAborted()
  if ((await source.digest()) !== context.rawDigest) {
    throw new BuildFailed('platform_failed', 'stored_context_damaged')
  }
  if (inspected.status === 'rejected') throw inspected.reason
  const { canonicalDigest, bases, finalBase, points } = inspected.value
  if (!known) await recordContextFacts(db, context, inspected.value)
  return { canonicalDigest, bases, finalBase, points }
}
