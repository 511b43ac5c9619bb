import type { TaskVersion } from '@sandbox-jobs/contract/resources/tasks/task-version.ts'
import { followLog } from '../logs/follow-log.ts'
import { logOfRun } from '../logs/followed-logs.ts'
import { failureOfRun } from '../runs/failed-run.ts'
import { readInput } from '../runs/read-input.ts'
import { showContent } from '../runs/show-content.ts'
import { showRemarks } from '../runs/show-remarks.ts'
import { submitRun } from '../runs/submit-run.ts'
import { type RunReference, watchRun } from '../runs/watch-run.ts'
import type { Session } from '../session/session.ts'

export interface Trial {
  /** Id of the room. */
  cid: string
  version: TaskVersion
  /** File with the input. */
  input: string
  /** Called with the run before it is waited for. */
  onRun: (place: RunReference) => void
}

/** Runs a version once and shows its log, what there is to remark, and its output. */
export async function runOnce(session: Session, { cid, version, input, onRun }: Trial): Promise<void> {
  const { report } = session
  const given = await readInput(input)
  const submitted = await submitRun(session, {
    cid,
    versionId: version.id,
    input: given,
    files: [],
    metadata: [],
  })
  const reference = { cid, rid: submitted.id }
  onRun(reference)
  await session.remember([submitted])
  const log = { ...logOfRun(session, reference), out: process.stderr, isPart: true }
  const [run] = await Promise.all([watchRun(session, reference), followLog(session, log)])
  const remarks = await showRemarks(session, reference)
  if (run.status === 'completed') {
    if (!remarks.some(({ code }) => code === 'no_output')) await showContent(session, reference, 'output')
    return
  }
  // By a save or by Ctrl-C, and already shown.
  if (run.status === 'cancelled') return
  report.failure(failureOfRun(run, run.failure_hint === '' ? 'Save a file to run it again.' : ''))
}
