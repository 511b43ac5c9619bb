import type { RunDetail } from '@sandbox-jobs/contract/resources/runs/run.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { escapeControls } from '../output/escape-controls.ts'
import { durationText } from '../output/sizes.ts'
import { readWithRetry } from '../session/read-with-retry.ts'
import type { Session } from '../session/session.ts'

export interface RunReference {
  cid: string
  rid: string
}

/** Longest time until a change is shown. The end of a run is shown at once. */
const waitSeconds = 1

/** Waits until a run has ended and shows its changes. */
export async function watchRun(session: Session, place: RunReference): Promise<RunDetail> {
  const { client, report } = session
  const view = changesView(session)
  const untilAnswered = async (read: () => Promise<RunDetail>) => {
    const run = await readWithRetry(read, () =>
      report.progress('The service does not answer; waiting for it. The run continues.'),
    )
    view(run)
    return run
  }
  const read = () => client.call(allRoutes.readRun, { params: place })
  const wait = () => client.call(allRoutes.waitForRun, { params: place, query: { seconds: waitSeconds } })
  let run = await untilAnswered(read)
  while (run.terminal_at === null) run = await untilAnswered(wait)
  return run
}

/** Shows a run whenever its state or its waiting reason has changed. */
function changesView({ report }: Session): (run: RunDetail) => void {
  const startedAt = performance.now()
  let shown = ''
  return (run) => {
    const change = [run.status, run.wait_reason, run.queue_position ?? ''].join(' ')
    if (change === shown) return
    shown = change
    report.event(changeText(run, performance.now() - startedAt), { event: 'run', run })
  }
}

function changeText(run: RunDetail, sinceMs: number): string {
  const position = run.queue_position === null ? '' : `, number ${run.queue_position} in the queue`
  const eta = run.eta_seconds === null ? '' : `, about ${durationText(run.eta_seconds * 1000)} to go`
  const why = run.next_action === '' ? '' : ` – ${escapeControls(run.next_action)}`
  return `run ${run.status.padEnd(16)} ${durationText(sinceMs).padStart(8)}${position}${eta}${why}`
}
