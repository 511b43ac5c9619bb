import { metadataKeyMaxLength } from '@sandbox-jobs/contract/limits.ts'
import {
  type ExtendedRun,
  type ExtendedSubmitRequest,
  metadataKeyPattern,
} from '@sandbox-jobs/contract/resources/runs/extended-run.ts'
import type { RunDetail } from '@sandbox-jobs/contract/resources/runs/run.ts'
import { invalid } from '../../base/errors/validation-error.ts'
import { wantedFiles } from '../parts/files/take-files.ts'
import { extendRun } from '../read/extended-runs.ts'
import type { ReadDeps } from '../read/read-runs.ts'
import { noExtras, type RunExtras } from './queue-run.ts'
import { type Submission, type SubmitDeps, submitRun } from './submit-run.ts'

export type ExtendedSubmitDeps = SubmitDeps & Pick<ReadDeps, 'runs'>

export type ExtendedSubmission = Omit<Submission, 'body' | 'source'> & { body: ExtendedSubmitRequest }

/**
 * Queues a run with files, metadata and a session. Throws what `submitRun` throws, for files what `wantedFiles` throws, and for a
 * session what `holdSession` and `requireTurn` throw.
 */
export async function submitExtendedRun(
  deps: ExtendedSubmitDeps,
  submission: ExtendedSubmission,
): Promise<ExtendedRun> {
  return extendRun(deps.db, await submitWithExtras(deps, submission))
}

/** The same without reading the files back. */
export async function submitWithExtras(
  deps: ExtendedSubmitDeps,
  { body: { files = [], metadata = {}, session, ...body }, ...submission }: ExtendedSubmission,
): Promise<RunDetail> {
  checkKeys(metadata)
  const described = {
    ...(files.length > 0 && { files }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
    ...(session && { session }),
  }
  const readExtras = async (): Promise<RunExtras> => {
    const { principal, chatroomId } = submission
    if (files.length === 0) return { ...noExtras, metadata, session }
    return { holdFiles: await wantedFiles(deps, principal, { chatroomId, files }), metadata, session }
  }
  const { text } = await submitRun(deps, { ...submission, body }, { described, readExtras })
  return JSON.parse(text) as RunDetail
}

const keyPattern = new RegExp(metadataKeyPattern)

function checkKeys(metadata: Record<string, string>): void {
  if (Object.keys(metadata).every((key) => keyPattern.test(key))) return
  const words = `may have keys of 1 to ${metadataKeyMaxLength} letters, digits, ".", "_" and "-" only, with a letter or digit first`
  throw invalid(['body', 'metadata'], 'key', words)
}
