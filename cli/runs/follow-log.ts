import { setTimeout as sleep } from 'node:timers/promises'
import type { RunLogEvent } from '@sandbox-jobs/contract/resources/run-log-event.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { escapeLines } from '../output/escape-controls.ts'
import { patientRead } from '../session/patient-read.ts'
import type { Session } from '../session/session.ts'
import type { RunPlace } from './watch-run.ts'

const againMs = 500

/** Shows a run's log as it is written, until the run ends; a connection that breaks is made again where it broke. */
export async function followLog(session: Session, place: RunPlace): Promise<void> {
  const { client, report } = session
  for (let start = 0; ; ) {
    const response = await patientRead(
      () => client.call(allRoutes.followRunLog, { params: place, query: { start } }),
      () => report.progress('The service does not answer; waiting for it. The run goes on.'),
    )
    try {
      for await (const { id, event } of eventsOf(response)) {
        start = id
        show(session, event)
        if (event.kind === 'end') return
      }
    } catch (error) {
      // What a broken connection throws; whatever else is wrong, the next call tells.
      if (!(error instanceof TypeError)) throw error
    }
    await sleep(againMs)
  }
}

function show({ report }: Session, event: RunLogEvent): void {
  if (report.json) report.event('', event)
  else if (event.kind === 'log') {
    process.stdout.write(process.stdout.isTTY === true ? escapeLines(event.text) : event.text)
  } else if (event.kind === 'gap') {
    report.progress(`${event.end - event.start} bytes came too fast to be shown; sandbox logs has them.`)
  } else {
    report.progress(`The run is ${event.status}.`)
  }
}

/** The events of the service's stream: an `id` and one line of `data` each. */
async function* eventsOf({ body }: Response): AsyncGenerator<{ id: number; event: RunLogEvent }> {
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
