import { setTimeout as sleep } from 'node:timers/promises'
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

/** A short job needs frequent polls to be noticed; a long one can be polled rarely. */
const firstPollMs = 100
const lastPollMs = 1000

/** Polls a run until it has ended and shows its changes. */
export async function watchRun(session: Session, place: RunReference): Promise<RunDetail> {
  const { client, report } = session
  const view = changesView(session)
  for (let pollMs = firstPollMs; ; pollMs = Math.min(lastPollMs, pollMs * 1.3)) {
    const run = await readWithRetry(
      () => client.call(allRoutes.readRun, { params: place }),
      () => report.progress('The service does not answer; waiting for it. The run continues.'),
    )
    view(run)
    if (run.terminal_at !== null) return run
    await sleep(pollMs)
  }
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
