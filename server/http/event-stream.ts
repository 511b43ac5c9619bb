import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import type { PlacedEvent } from '../live-logs/log-followers.ts'

/** Nothing between service and reader may keep or bundle events. */
export const eventStreamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
  'x-content-type-options': 'nosniff',
}

/** Where a reader goes on that was here before; an id that is none of ours starts at the beginning. */
export function positionOf({ headers }: FastifyRequest): number {
  const id = headers['last-event-id']
  const position = Number(id)
  return typeof id === 'string' && Number.isSafeInteger(position) && position >= 0 ? position : 0
}

/** A reader who has not taken an event after so long is gone, whatever its connection says. */
const takenWithinMs = 30_000

/**
 * Server-sent events; JSON has no line breaks, so each is one `data` line. One event waits for its reader at a time, and not
 * for long: a reader that stands still loses its connection, and with it the place that it has among those who follow.
 */
export function eventStream(events: AsyncIterable<PlacedEvent>, withinMs = takenWithinMs): Readable {
  const stalled = () => stream.destroy(new Error('the reader of an event stream stands still'))
  const stream = Readable.from(taken(linesOf(events), withinMs, stalled), {
    objectMode: false,
    highWaterMark: 1,
  })
  return stream
}

async function* taken(
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

async function* linesOf(events: AsyncIterable<PlacedEvent>): AsyncGenerator<string> {
  // Tells the reader that it is connected, however long the first event takes.
  yield ': connected\n\n'
  for await (const { position, event } of events) {
    yield `id: ${position}\nevent: ${event.kind}\ndata: ${JSON.stringify(event)}\n\n`
  }
}
