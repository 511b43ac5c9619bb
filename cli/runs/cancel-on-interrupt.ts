import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { describeFailure, exitCodes } from '../failure.ts'
import type { Session } from '../session/session.ts'
import type { RunReference } from './watch-run.ts'

/**
 * While watching, the first Ctrl-C cancels the run; the second quits without waiting. Returns a function that removes
 * the handler.
 */
export function cancelOnInterrupt({ client, report, url }: Session, place: RunReference): () => void {
  let interrupted = false
  const onInterrupt = () => {
    if (interrupted) process.exit(exitCodes.interrupted)
    interrupted = true
    report.progress('\nCancelling the run; Ctrl-C again quits without waiting for it.')
    client.call(allRoutes.cancelRun, { params: place }).catch((error: unknown) => {
      interrupted = false
      report.failure(describeFailure(error, url))
    })
  }
  process.on('SIGINT', onInterrupt)
  return () => void process.off('SIGINT', onInterrupt)
}
