import type { BuildStage } from '@sandbox-jobs/contract/resources/builds/build-stage.ts'

/** The verification chain of this deployment, in order. Progress counts exactly these stages. */
export const buildStages = [
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
] as const satisfies BuildStage[]

export type ChainStage = (typeof buildStages)[number]
