import type { Static } from 'typebox'
import { OneOf } from '../../schema.ts'

/** Stages of a build, in their order. A deployment counts only the stages that it performs. */
export const buildStages = [
  'build_queued',
  'context_validator',
  'customer_build',
  'static_scan',
  'smoke',
  'sign',
  'attest',
  'promote',
  'final_verify',
  'runner_floor',
  'regional_readback',
  'terminal',
] as const
export const BuildStage = OneOf(buildStages)
export type BuildStage = Static<typeof BuildStage>
