import { setTimeout as sleep } from 'node:timers/promises'
import type { RunDetail } from '@sandbox-jobs/contract/resources/run.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { escapeControls } from '../output/escape-controls.ts'
import { durationText } from '../output/sizes.ts'
import { patientRead } from '../session/patient-read.ts'
import type { Session } from '../session/session.ts'

export interface RunPlace {
  cid: string
  rid: string
}

/** A short job is over before anyone could read a state; a long one need not be asked about often. */
const firstPollMs = 100
const lastPollMs = 1000

/** Polls a run until it has ended and shows what changes on the way. */
export async function watchRun(session: Session, place: RunPlace): Promise<RunDetail> {
  const { client, report } = session
  const view = changesView(session)
  for (let pollMs = firstPollMs; ; pollMs = Math.min(lastPollMs, pollMs * 1.3)) {
    const run = await patientRead(
      () => client.call(allRoutes.readRun, { params: place }),
      () => report.progress('The service does not answer; waiting for it. The run goes on.'),
    )
    view(run)
    if (run.terminal_at !== null) return run
    await sleep(pollMs)
  }
}

/** Shows a run whenever its state, or what it waits for, is another than before. */
function changesView({ report }: Session): (run: RunDetail) => void {
  const begun = performance.now()
  let shown = ''
  return (run) => {
    const change = [run.status, run.wait_reason, run.queue_position ?? ''].join(' ')
    if (change === shown) return
    shown = change
    report.event(changeText(run, performance.now() - begun), { event: 'run', run })
  }
}

function changeText(run: RunDetail, sinceMs: number): string {
  const position = run.queue_position === null ? '' : `, number ${run.queue_position} in the queue`
  const eta = run.eta_seconds === null ? '' : `, about ${durationText(run.eta_seconds * 1000)} to go`
  const why = run.next_action === '' ? '' : ` – ${escapeControls(run.next_action)}`
  return `run ${run.status.padEnd(16)} ${durationText(sinceMs).padStart(8)}${position}${eta}${why}`
}
