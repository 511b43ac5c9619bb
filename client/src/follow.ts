import type { RequestParts } from '../../contract/client/request.ts'
import type { OperationName } from './operations.ts'
import { pause } from './retries.ts'
import { send, type Transport } from './send.ts'
import { readEvents } from './server-sent-events.ts'

/** A connection that brought nothing may have been closed on the way, again and again. */
const emptyPauseMs = 1000

/**
 * The events of a stream until its `end`. The service ends a connection after 15 minutes, and a network may do so at any
 * time: the stream then goes on in a new connection, after the last event that came.
 */
export async function* follow(
  transport: Transport,
  name: OperationName,
  given: RequestParts = {},
): AsyncGenerator<{ kind: string }, void> {
  let lastId: string | undefined
  for (;;) {
    const headers = {
      accept: 'text/event-stream',
      ...given.headers,
      ...(lastId && { 'last-event-id': lastId }),
    }
    const { body } = await send(transport, name, { ...given, headers })
    if (!body) throw new Error('The event stream has no body.')
    let came = 0
    try {
      for await (const { id, data } of readEvents(body)) {
        lastId = id ?? lastId
        came += 1
        const event = JSON.parse(data) as { kind: string }
        yield event
        if (event.kind === 'end') return
      }
    } catch (error) {
      // `fetch` reports a broken connection as a TypeError.
      if (given.signal?.aborted || !(error instanceof TypeError)) throw error
    }
    if (came === 0) await pause(emptyPauseMs, given.signal)
  }
}
