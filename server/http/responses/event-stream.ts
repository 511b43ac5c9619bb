import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { sleep } from '../../base/clock.ts'

/** No proxy between the service and the reader may store or batch events. */
export const eventStreamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
  'x-content-type-options': 'nosniff',
}

/** The position after which a reconnecting reader continues. An id that this service did not issue starts at 0. */
export function lastEventPosition({ headers }: FastifyRequest): number {
  const id = headers['last-event-id']
  const position = Number(id)
  return typeof id === 'string' && Number.isSafeInteger(position) && position >= 0 ? position : 0
}

/** An event, and the position behind it, where a reader that connects again goes on. */
interface PositionedEvent {
  position: number
  event: { kind: string }
}

/** A reader that does not take an event within this time is disconnected, even if its connection looks alive. */
const readTimeoutMs = 30_000

/**
 * Server-sent events. JSON has no line breaks, so each event is one `data` line. At most one event waits for the
 * reader: a stalled reader loses its connection and thereby its follower slot.
 */
export function eventStream(events: AsyncIterable<PositionedEvent>, withinMs = readTimeoutMs): Readable {
  const stalled = () => stream.destroy(new Error('the reader of an event stream stands still'))
  const stream = Readable.from(closeStalledReader(linesOf(events), withinMs, stalled), {
    objectMode: false,
    highWaterMark: 1,
  })
  return stream
}

async function* closeStalledReader(
  lines: AsyncIterable<string>,
  withinMs: number,
  stalled: () => void,
): AsyncGenerator<string> {
  for await (const line of lines) {
    const timer = setTimeout(stalled, withinMs)
    try {
      yield line
    } finally {
      clearTimeout(timer)
    }
  }
}

/** A proxy between service and reader may close a connection that is silent for a minute. */
const heartbeatMs = 15_000

async function* linesOf(events: AsyncIterable<PositionedEvent>): AsyncGenerator<string> {
  // Shows the reader that it is connected, even when the first event takes long.
  yield ': connected\n\n'
  const iterator = events[Symbol.asyncIterator]()
  try {
    let next = iterator.next()
    for (;;) {
      const result = await withHeartbeat(next)
      if (result === undefined) {
        yield ': waiting\n\n'
        continue
      }
      if (result.done) return
      const { position, event } = result.value
      yield `id: ${position}\nevent: ${event.kind}\ndata: ${JSON.stringify(event)}\n\n`
      next = iterator.next()
    }
  } finally {
    await iterator.return?.()
  }
}

/** Undefined when there is nothing after the time of a heartbeat. */
async function withHeartbeat<Value>(next: Promise<Value>): Promise<Value | undefined> {
  const late = new AbortController()
  try {
    return await Promise.race([next, sleep(heartbeatMs, late.signal).then(() => undefined)])
  } finally {
    late.abort()
  }
}
