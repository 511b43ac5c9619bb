import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { createLog } from '../../base/logging.ts'
import type { PositionedEvent } from '../../live-logs/log-followers.ts'
import { createApp } from '../app.ts'
import { eventStream, eventStreamHeaders } from './event-stream.ts'

const text = 'x'.repeat(64 * 1024)

/** A service with one stream of `count` large events. It reports when the stream is released. */
async function serve(count: number, withinMs: number) {
  const released = Promise.withResolvers<number>()
  async function* events(): AsyncGenerator<PositionedEvent> {
    let sent = 0
    try {
      for (; sent < count; sent += 1) yield { position: sent, event: { kind: 'log', start: sent, text } }
    } finally {
      released.resolve(sent)
    }
  }
  const app = createApp(createLog('test', 'silent'))
  app.get('/events', (_request, reply) =>
    reply.headers(eventStreamHeaders).send(eventStream(events(), withinMs)),
  )
  await app.listen({ host: '127.0.0.1', port: 0 })
  const address = app.server.address()
  const socket = connect(address instanceof Object ? address.port : 0, '127.0.0.1')
  socket.on('error', () => {})
  socket.write('GET /events HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n')
  return { app, socket, released: released.promise }
}

it('releases the stream of a stalled reader and closes its connection', async () => {
  const { app, socket, released } = await serve(Number.POSITIVE_INFINITY, 300)
  // The reader reads the first chunk and nothing after it.
  await once(socket, 'data')
  socket.pause()
  const sent = await released
  // Only the connection's buffers and one event wait for the reader.
  expect(sent * text.length).toBeLessThan(64 * 1024 ** 2)
  socket.resume()
  await once(socket, 'close')
  await app.close()
})

it('sends everything to a reader that reads', async () => {
  const { app, socket, released } = await serve(200, 30_000)
  let size = 0
  socket.on('data', (bytes) => {
    size += bytes.length
  })
  await once(socket, 'close')
  expect(await released).toBe(200)
  expect(size).toBeGreaterThan(200 * text.length)
  await app.close()
})
