import { awaitExit, cleanUp, collect, decide, finish, report } from './end-steps.ts'
import type { RunSteps } from './progress.ts'
import { prepare, resolveStart, start } from './start-steps.ts'

/** The step for each progress of a run, in the usual order. */
export const runSteps: RunSteps = {
  claimed: prepare,
  prepared: start,
  startUnknown: resolveStart,
  started: report,
  waiting: awaitExit,
  exited: collect,
  collected: decide,
  decided: finish,
  finished: cleanUp,
}
