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

/** Server-sent events; JSON has no line breaks, so each is one `data` line. */
export const eventStream = (events: AsyncIterable<PlacedEvent>): Readable =>
  Readable.from(linesOf(events), { objectMode: false, highWaterMark: 1 })

async function* linesOf(events: AsyncIterable<PlacedEvent>): AsyncGenerator<string> {
  // Tells the reader that it is connected, however long the first event takes.
  yield ': connected\n\n'
  for await (const { position, event } of events) {
    yield `id: ${position}\nevent: ${event.kind}\ndata: ${JSON.stringify(event)}\n\n`
  }
}
