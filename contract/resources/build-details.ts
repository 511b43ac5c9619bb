import { type Static, Type } from 'typebox'
import { Identifier } from '../ids.ts'
import { Count, DateTime, Nullable, OneOf, Ordinal } from '../schema.ts'
import { BuildStage } from './build-stage.ts'

export const stageOutcomes = ['completed', 'failed', 'cancelled', 'interrupted'] as const

/** One stage of the chain, as it went when it was last begun: a chain that is cut off is begun again from its start. */
export const BuildStageRecord = Type.Object({
  stage: BuildStage,
  /** Null while it is under way; `interrupted` was cut off with its worker or by an outage. */
  outcome: Nullable(OneOf(stageOutcomes)),
  started_at: DateTime,
  ended_at: Nullable(DateTime),
  /** Null while it is under way. */
  duration_ms: Nullable(Count),
  /** How often it was begun. */
  passes: Ordinal,
})
export type BuildStageRecord = Static<typeof BuildStageRecord>

/**
 * The instruction of the Dockerfile that was at work when the build failed; that an image could not be written down
 * counts for the last one of its stage.
 */
export const FailedInstruction = Type.Object({
  /** The first of its lines, from 1. */
  line: Ordinal,
  /** Number of its stage, from 1. */
  stage: Ordinal,
  stage_name: Nullable(Type.String()),
  /** Its beginning, on one line. The author wrote it: show it as such. */
  text: Type.String({ maxLength: 200 }),
})
export type FailedInstruction = Static<typeof FailedInstruction>

/** How a build went, for who manages the environment (contract part 3, D6). */
export const BuildDetails = Type.Object({
  build_id: Identifier,
  queued_at: DateTime,
  started_at: Nullable(DateTime),
  terminal_at: Nullable(DateTime),
  /** In the order of the chain, as far as it came. */
  stages: Type.Array(BuildStageRecord),
  failed_instruction: Nullable(FailedInstruction),
})
export type BuildDetails = Static<typeof BuildDetails>
