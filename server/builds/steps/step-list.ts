import type { AnyStep, Step } from './step.ts'

/** Runs one step. The caller handles stages, cancels and the collected values. */
export type RunStep = <Needs, Makes>(step: Step<Needs, Makes>, values: Needs) => Promise<Makes>

/** Steps in order, from the values `Start` to the values of all steps, `End`. */
export interface Steps<Start, End> {
  steps: readonly AnyStep[]
  run: (start: Start, runStep: RunStep) => Promise<End>
}

/** A list of steps. The compiler refuses a step whose values no earlier step makes. */
export interface StepList<Start, End> extends Steps<Start, End> {
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
