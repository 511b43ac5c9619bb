import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { describeFailure } from '../failure.ts'
import { followLog } from '../logs/follow-log.ts'
import { logOfRun } from '../logs/followed-logs.ts'
import type { Session } from '../session/session.ts'
import { cancelOnInterrupt } from './cancel-on-interrupt.ts'
import { exitCodeOfRun } from './exit-code-of-run.ts'
import { failureOfRun } from './failed-run.ts'
import { showContent } from './show-content.ts'
import { showRemarks } from './show-remarks.ts'
import { type RunReference, watchRun } from './watch-run.ts'

/** Shows the log of a run as it comes, then remarks and its output, and sets the exit code of the job. Ctrl-C cancels the run. */
export async function followRun(session: Session, place: RunReference): Promise<void> {
  const { report } = session
  report.progress(`run ${place.rid}`)
  const stop = cancelOnInterrupt(session, place)
  const log = showLog(session, place)
  const ended = await watchRun(session, place).finally(stop)
  await log
  await showRemarks(session, place)
  await showOutput(session, place)
  process.exitCode = exitCodeOfRun(ended)
  if (ended.status !== 'completed') report.failure(failureOfRun(ended, `The log: sandbox logs ${ended.id}`))
}

/** Standard output is for the result alone. A log that cannot be shown is no reason to give up the run. */
async function showLog(session: Session, place: RunReference): Promise<void> {
  const log = { ...logOfRun(session, place), out: process.stderr, isPart: true }
  await followLog(session, log).catch((error: unknown) => {
    const { message } = describeFailure(error, session.url)
    session.report.progress(`The log cannot be shown: ${message}`)
  })
}

/** Nothing where the run has no output. */
async function showOutput(session: Session, place: RunReference): Promise<void> {
  const content = await session.client.call(allRoutes.readRunContent, { params: place })
  if (content.has_output) await showContent(session, place, 'output')
}
