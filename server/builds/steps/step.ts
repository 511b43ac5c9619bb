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

/** Runs one step. The caller handles stages, cancels and the collected values. */
export type RunStep = <Needs, Makes>(step: Step<Needs, Makes>, values: Needs) => Promise<Makes>

/** Steps in order, from the values `Start` to the values of all steps, `End`. */
interface Steps<Start, End> {
  steps: readonly AnyStep[]
  run: (start: Start, runStep: RunStep) => Promise<End>
}

/** A list of steps. The compiler refuses a step whose values no earlier step makes. */
interface StepList<Start, End> extends Steps<Start, End> {
  /** Appends a step. */
  step: <Makes>(next: Step<End, Makes>) => StepList<Start, Makes extends object ? End & Makes : End>
  /** Appends `first`; if it returns undefined, the steps of `otherwise` make the same values. */
  firstOf: <Makes extends object>(
    first: Step<End, Makes | undefined>,
    otherwise: Steps<End, End & Makes>,
  ) => StepList<Start, End & Makes>
}

/** The empty list. */
export const stepList = <Start extends object>(): StepList<Start, Start> => listOf([], async (start) => start)

function listOf<Start, End>(steps: readonly AnyStep[], run: Steps<Start, End>['run']): StepList<Start, End> {
  return {
    steps,
    run,
    step: <Makes>(next: Step<End, Makes>) =>
      listOf([...steps, next], async (start: Start, runStep) => {
        const values = await run(start, runStep)
        return { ...values, ...(await runStep(next, values)) } as Makes extends object ? End & Makes : End
      }),
    firstOf: (first, otherwise) =>
      listOf([...steps, first, ...otherwise.steps], async (start: Start, runStep) => {
        const values = await run(start, runStep)
        const made = await runStep(first, values)
        return made ? { ...values, ...made } : otherwise.run(values, runStep)
      }),
  }
}
