import { runWaitMaxSeconds } from '@sandbox-jobs/contract/limits.ts'
import type {
  ExtendedRun,
  ExtendedSubmitRequest,
} from '@sandbox-jobs/contract/resources/runs/extended-run.ts'
import type { RunDetail } from '@sandbox-jobs/contract/resources/runs/run.ts'
import type { RunAndWaitRequest, RunResult } from '@sandbox-jobs/contract/resources/runs/run-result.ts'
import { CodedError } from '../../base/errors/coded-error.ts'
import type { FindRunDeps } from '../lookup/readable-run.ts'
import { extendRun } from '../read/extended-runs.ts'
import { renderRun } from '../read/render-run.ts'
import { readInlineOutput } from '../read/results/inline-output.ts'
import { watchRun } from '../read/wait-for-run.ts'
import type { RunServices } from '../run-services.ts'
import { askParts } from './asked-parts.ts'
import { type Submission, type SubmitDeps, submitRun } from './submit-run.ts'

export type ExtendedSubmission = Omit<Submission, 'body' | 'source'> & { body: ExtendedSubmitRequest }

/** Queues a run with parts. Throws what `submitRun` throws, and what asking for the parts and locking them throws. */
export async function submitExtendedRun(
  deps: SubmitDeps & FindRunDeps,
  submission: ExtendedSubmission,
): Promise<ExtendedRun> {
  return extendRun(deps.db, await submitWithParts(deps, submission))
}

/** The same without reading the parts back. */
export async function submitWithParts(
  deps: SubmitDeps & FindRunDeps,
  submission: ExtendedSubmission,
): Promise<RunDetail> {
  const { text } = await submitRun(deps, submission, askParts(deps, submission, submission.body))
  return JSON.parse(text) as RunDetail
}

/**
 * Submits a run and waits for its end. A repeated key waits for the run that it was given before. Throws what `submitRun`
 * throws; once there is a run, it is answered with however many wait.
 */
export async function runAndWait(
  deps: SubmitDeps & RunServices,
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
