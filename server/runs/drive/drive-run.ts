import type { WorkSignals } from '../../work/worker.ts'
import type { ClaimedRun, TakenOverRun } from '../model/claimed-run.ts'
import { failed } from '../model/run-outcome.ts'
import { Drive, type DriveDeps, isOwnershipLost } from './drive.ts'
import { awaitExit, cleanUp, collect, decide, finish, report } from './end-steps.ts'
import { nothingLeft, type over, type Progress, type RunSteps } from './progress.ts'
import { describe } from './retry-policies.ts'
import { prepare, requeueUnlessStarted, resolveStart, start } from './start-steps.ts'

/*
 * One claimed run, from its claim to its end: one of `runSteps` after another, from its current step.
 *
 * The worker can die between any two steps, so each step may be repeated. This is safe because the executor starts a
 * sandbox id at most once, permanently, and keeps the results of a sandbox until `remove`; every write to the row carries
 * the fence of this claim; an end is one transaction. A restarted worker asks the executor about the sandbox:
 *
 *   never started      forbid the sandbox and queue the run again; its next claim names another sandbox
 *   input was cut      the same without asking: the boot program starts no job before the end of its input
 *   claimed long ago   the same: the executor refuses claims that are older than its memory of ids
 *   started            mark the run as running, wait, collect and finish as usual
 *   unknown            end the run as `host_lost`
 *
 * A cancel is written to the row first, then the worker is notified. Before the start it forbids the sandbox; after the
 * start it stops it. A job that ended before the stop reached it keeps its own outcome.
 */

/** Carries a run to its end. Resolves also when the run is lost to another worker. */
export async function driveRun(
  deps: DriveDeps,
  { run, from }: { run: ClaimedRun; from: Progress },
  signals: WorkSignals,
): Promise<void> {
  const drive = new Drive(deps, run, signals)
  try {
    await runStepsFrom(drive, from)
  } catch (error) {
    if (!isOwnershipLost(error)) await endFailed(drive, error)
  } finally {
    drive.close()
  }
}

/** Ends the run after an internal failure, so that it does not hang. */
async function endFailed(drive: Drive, error: unknown): Promise<void> {
  drive.log.error({ error: describe(error) }, 'run failed on our side')
  const outcome = failed('platform_internal')
  try {
    await drive.stopSandbox()
    await runStepsFrom(drive, { at: 'decided', end: { outcome }, residue: nothingLeft })
  } catch (failure) {
    if (!isOwnershipLost(failure)) throw failure
  }
}

async function runStepsFrom(drive: Drive, from: Progress): Promise<void> {
  let progress: Progress | typeof over = from
  while (progress.at !== 'over') {
    const at: Progress = progress
    progress = await drive.trace.step(at.at, () => runStep(drive, at))
    if (at.at === 'waiting' && progress.at === 'exited') drive.trace.program(progress.exit)
    if (at.at === 'decided' && progress.at === 'finished') drive.trace.end(at.end.outcome)
  }
}

const runStep = <At extends Progress['at']>(drive: Drive, from: Progress<At>) =>
  runSteps[from.at](drive, from)

/** The step at which a run is resumed. An executor knows nothing about a run that was claimed for another one. */
export function progressOf({ state, claimedHere }: TakenOverRun): Progress {
  const outcome = failed('host_lost', { detail: 'other_machine' })
  if (!claimedHere) return { at: 'decided', end: { outcome }, residue: nothingLeft }
  return state === 'running' ? { at: 'waiting' } : requeueUnlessStarted
}

/** The step for each progress of a run, in the usual order. */
const runSteps: RunSteps = {
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
