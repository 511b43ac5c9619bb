import { setTimeout as sleep } from 'node:timers/promises'
import type { BuildLogEvent, RunLogEvent } from '@sandbox-jobs/contract/resources/log-event.ts'
import { escapeLines } from '../output/escape-controls.ts'
import { patientRead } from '../session/patient-read.ts'
import type { Session } from '../session/session.ts'

type LogEvent = RunLogEvent | BuildLogEvent

export interface FollowedLog {
  /** Connects from a position on. */
  open(start: number): Promise<Response>
  what: 'run' | 'build'
  /** The command that shows all of it. */
  whole: string
  /** Where it is shown. */
  out: NodeJS.WriteStream
  /** Whoever follows says by other means how it ended. */
  isPart?: boolean
}

const againMs = 500

/** Shows a log as it is written, until its work ends; a connection that breaks is made again where it broke. */
export async function followLog(session: Session, log: FollowedLog): Promise<void> {
  const { report } = session
  for (let start = 0; ; ) {
    const response = await patientRead(
      () => log.open(start),
      () => report.progress(`The service does not answer; waiting for it. The ${log.what} goes on.`),
    )
    try {
      for await (const { id, event } of eventsOf(response)) {
        start = id
        show(session, log, event)
        if (event.kind === 'end') return
      }
    } catch (error) {
      // What a broken connection throws; whatever else is wrong, the next call tells.
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
    report.progress(`${event.end - event.start} bytes came too fast to be shown; ${whole} has them.`)
  } else if (isPart !== true) {
    report.progress(`The ${what} is ${event.status}.`)
  }
}

/** The events of the service's stream: an `id` and one line of `data` each. */
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
