import type { ChainStage } from '../../environments/versions/build-stages.ts'
import type { Build, FailedBuild } from '../request/build.ts'

/**
 * One step of the chain: makes values from the values of earlier steps, for later steps to use by type. `run` is
 * idempotent: it may be interrupted at any point and then runs again from its start, in the same worker or another.
 */
export interface Step<Needs, Makes> {
  name: string
  /** The stage that owners see; a stage may have several steps. */
  stage: ChainStage
  run: (build: Build, values: Needs) => Promise<Makes>
  /**
   * Removes the results of `run` when the build fails, including those of a worker that died; so `known` may lack
   * any value, even of a step that ran. Idempotent. The runner removes sandboxes.
   */
  undo?: (failed: FailedBuild, known: Partial<Needs & Makes>) => Promise<void>
}

/** A step with any values. */
export type AnyStep = Step<never, unknown>
