import { setTimeout as sleep } from 'node:timers/promises'
import type { BuildLogEvent, RunLogEvent } from '@sandbox-jobs/contract/resources/runs/log-event.ts'
import { escapeLines } from '../output/escape-controls.ts'
import { readWithRetry } from '../session/read-with-retry.ts'
import type { Session } from '../session/session.ts'

type LogEvent = RunLogEvent | BuildLogEvent

export interface FollowedLog {
  /** Opens the event stream from a position on. */
  open(start: number): Promise<Response>
  what: 'run' | 'build'
  /** The command that prints the complete log. */
  whole: string
  /** Where the log is shown. */
  out: NodeJS.WriteStream
  /** True if the caller reports the end of the work itself. */
  isPart?: boolean
}

const againMs = 500

/** Shows a log while it is written, until the work ends. After a broken connection it continues where it stopped. */
export async function followLog(session: Session, log: FollowedLog): Promise<void> {
  const { report } = session
  for (let start = 0; ; ) {
    const response = await readWithRetry(
      () => log.open(start),
      () => report.progress(`The service does not answer; waiting for it. The ${log.what} continues.`),
    )
    try {
      for await (const { id, event } of eventsOf(response)) {
        start = id
        show(session, log, event)
        if (event.kind === 'end') return
      }
    } catch (error) {
      // The error of a broken connection. Any other error shows up in the next call.
      if (!(error instanceof TypeError)) throw error
    }
    await sleep(againMs)
  }
}

function show({ report }: Session, { what, whole, out, isPart }: FollowedLog, event: LogEvent): void {
  if (report.json) report.event('', event)
  else if (event.kind === 'log') {
    out.write(out.isTTY === true ? escapeLines(event.text) : event.text)
  } else if (event.kind === 'gap') {
    report.progress(`${event.end - event.start} bytes were written too fast to show; ${whole} prints them.`)
  } else if (isPart !== true) {
    report.progress(`The ${what} is ${event.status}.`)
  }
}

/** The events of the stream: an `id` and one `data` line each. */
async function* eventsOf({ body }: Response): AsyncGenerator<{ id: number; event: LogEvent }> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const id = /^id: (\d+)$/m.exec(block)?.[1]
      const data = /^data: (.*)$/m.exec(block)?.[1]
      if (id !== undefined && data !== undefined) yield { id: Number(id), event: JSON.parse(data) }
    }
  }
}
