import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { BuildId } from '../../identifiers.ts'
import { Count, DateTime, Nullable, OneOf, Ordinal } from '../../schema.ts'
import { BuildNetwork } from './build-network.ts'
import { BuildStage } from './build-stage.ts'

export const stageOutcomes = ['completed', 'failed', 'cancelled', 'interrupted'] as const

/** One stage of the chain, as of its last start. An interrupted chain starts again with its first stage. */
export const BuildStageRecord = Type.Object({
  stage: about('Stage of the chain.', BuildStage, 'customer_build'),
  outcome: about(
    'How it ended; null while it runs. `interrupted`: the worker died or a dependency failed.',
    Nullable(OneOf(stageOutcomes)),
  ),
  started_at: about('When it was last started.', DateTime),
  ended_at: about('When it ended; null while it runs.', Nullable(DateTime)),
  duration_ms: about('Milliseconds that it took; null while it runs.', Nullable(Count), 48_213),
  passes: about('How often it was started.', Ordinal, 1),
})
export type BuildStageRecord = Static<typeof BuildStageRecord>

/**
 * The Dockerfile instruction that was running when the build failed. A failure to write an image counts for the last
 * instruction of its stage.
 */
export const FailedInstruction = Type.Object({
  line: about('Its first line in the Dockerfile, from 1.', Ordinal, 7),
  stage: about('Number of its stage in the Dockerfile, from 1.', Ordinal, 1),
  stage_name: about('Name of its stage; null if it has none.', Nullable(Type.String()), null),
  text: about(
    'Its first characters, on one line. The author wrote them: escape them for display.',
    Type.String({ maxLength: 200 }),
    'RUN make',
  ),
})
export type FailedInstruction = Static<typeof FailedInstruction>

/** Course of a build, for managers of the environment (contract part 3, D6). */
export const BuildDetails = Type.Object({
  build_id: BuildId,
  queued_at: about('When it was queued.', DateTime),
  started_at: about('When it was first started; null while it waits.', Nullable(DateTime)),
  terminal_at: about('When it ended; null until then.', Nullable(DateTime)),
  stages: about('Stages in their order, up to the last that was started.', Type.Array(BuildStageRecord)),
  failed_instruction: about(
    'Instruction of the Dockerfile that failed; null if none did.',
    Nullable(FailedInstruction),
  ),
  network: about(
    'Addresses that the steps reached. Null before the builder has ended, for steps without a network, and where no builder ran.',
    Nullable(BuildNetwork),
  ),
})
export type BuildDetails = Static<typeof BuildDetails>
