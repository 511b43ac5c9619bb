import { runWaitMaxSeconds } from '@sandbox-jobs/contract/limits.ts'
import type { RunAndWaitRequest, RunResult } from '@sandbox-jobs/contract/resources/runs/run-result.ts'
import { CodedError } from '../../base/errors/coded-error.ts'
import type { ObjectStorage } from '../../storage/port.ts'
import { extendRun } from '../read/extended-runs.ts'
import { renderRun } from '../read/render-run.ts'
import { readInlineOutput } from '../read/results/inline-output.ts'
import { type WatchRunDeps, watchRun } from '../read/wait-for-run.ts'
import { type ExtendedSubmission, type ExtendedSubmitDeps, submitWithParts } from './submit-extended-run.ts'

export type RunAndWaitDeps = ExtendedSubmitDeps & WatchRunDeps & { storage: ObjectStorage }

/**
 * Submits a run and waits for its end. A repeated key waits for the run that it was given before. Throws what `submitRun`
 * throws; once there is a run, it is answered with however many wait.
 */
export async function runAndWait(
  deps: RunAndWaitDeps,
  { body, ...submission }: Omit<ExtendedSubmission, 'body'> & { body: RunAndWaitRequest },
  signal: AbortSignal,
): Promise<RunResult> {
  const { wait_seconds: seconds = runWaitMaxSeconds, ...submitted } = body
  const { id: runId } = await submitWithParts(deps, { ...submission, body: submitted })
  const { principal, chatroomId } = submission
  const waiting = { chatroomId, runId, seconds, signal }
  const run = await watchRun(deps, principal, waiting).catch((error: unknown) => {
    const isBusy = error instanceof CodedError && error.code === 'watchers_busy'
    if (!isBusy) throw error
    return watchRun(deps, principal, { ...waiting, seconds: 0 })
  })
  return {
    state: run.hasEnded ? 'ended' : 'keep_waiting',
    run: await extendRun(deps.db, renderRun(run, await deps.runs.waitOf(run))),
    output: run.hasEnded ? await readInlineOutput(deps, run) : null,
  }
}
