import type {
  ExtendedRun,
  ExtendedSubmitRequest,
} from '@sandbox-jobs/contract/resources/runs/extended-run.ts'
import type { RunDetail } from '@sandbox-jobs/contract/resources/runs/run.ts'
import type { WantDeps } from '../parts/run-part.ts'
import { extendRun } from '../read/extended-runs.ts'
import { askParts } from './asked-parts.ts'
import { type Submission, type SubmitDeps, submitRun } from './submit-run.ts'

export type ExtendedSubmitDeps = SubmitDeps & WantDeps

export type ExtendedSubmission = Omit<Submission, 'body' | 'source'> & { body: ExtendedSubmitRequest }

/** Queues a run with parts. Throws what `submitRun` throws, and what asking for the parts and locking them throws. */
export async function submitExtendedRun(
  deps: ExtendedSubmitDeps,
  submission: ExtendedSubmission,
): Promise<ExtendedRun> {
  return extendRun(deps.db, await submitWithParts(deps, submission))
}

/** The same without reading the parts back. */
export async function submitWithParts(
  deps: ExtendedSubmitDeps,
  submission: ExtendedSubmission,
): Promise<RunDetail> {
  const { text } = await submitRun(deps, submission, askParts(deps, submission, submission.body))
  return JSON.parse(text) as RunDetail
}
