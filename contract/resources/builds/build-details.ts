import { type Static, Type } from 'typebox'
import { Identifier } from '../../ids.ts'
import { Count, DateTime, Nullable, OneOf, Ordinal } from '../../schema.ts'
import { BuildStage } from './build-stage.ts'

export const stageOutcomes = ['completed', 'failed', 'cancelled', 'interrupted'] as const

/** One stage of the chain, as of its last start. An interrupted chain starts again with its first stage. */
export const BuildStageRecord = Type.Object({
  stage: BuildStage,
  /** Null while it is running. `interrupted`: the worker died or a dependency failed. */
  outcome: Nullable(OneOf(stageOutcomes)),
  started_at: DateTime,
  ended_at: Nullable(DateTime),
  /** Null while it is running. */
  duration_ms: Nullable(Count),
  /** How often it was started. */
  passes: Ordinal,
})
export type BuildStageRecord = Static<typeof BuildStageRecord>

/**
 * The Dockerfile instruction that was running when the build failed. A failure to write an image counts for the last
 * instruction of its stage.
 */
export const FailedInstruction = Type.Object({
  /** Its first line, from 1. */
  line: Ordinal,
  /** Number of its stage, from 1. */
  stage: Ordinal,
  stage_name: Nullable(Type.String()),
  /** Its first characters, on one line. Written by the author: escape it for display. */
  text: Type.String({ maxLength: 200 }),
})
export type FailedInstruction = Static<typeof FailedInstruction>

/** Course of a build, for managers of the environment (contract part 3, D6). */
export const BuildDetails = Type.Object({
  build_id: Identifier,
  queued_at: DateTime,
  started_at: Nullable(DateTime),
  terminal_at: Nullable(DateTime),
  /** In the order of the chain, up to the last stage that was started. */
  stages: Type.Array(BuildStageRecord),
  failed_instruction: Nullable(FailedInstruction),
})
export type BuildDetails = Static<typeof BuildDetails>
