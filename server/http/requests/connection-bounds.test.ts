import { EventEmitter, once } from 'node:events'
import type { Server } from 'node:http'
import { connect, type Socket } from 'node:net'
import { PassThrough, Readable } from 'node:stream'
import { setImmediate as nextRound } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { afterEach, describe, expect, it } from 'vitest'
import { createLog } from '../../base/logging.ts'
import { createApp } from '../app.ts'
import {
  boundAddresses,
  boundConnections,
  type ConnectionBounds,
  connectionBoundsFor,
} from './connection-bounds.ts'

const apps: FastifyInstance[] = []
afterEach(() => Promise.all(apps.splice(0).map((app) => app.close())))

async function serve(bounds: Partial<ConnectionBounds>, routes: (app: FastifyInstance) => void = () => {}) {
  const app = createApp(createLog('test', 'silent'))
  boundConnections(app, { ...connectionBoundsFor([]), ...bounds })
  app.get('/', async () => 'here')
  app.post('/body', async () => 'taken')
  routes(app)
  await app.listen({ host: '127.0.0.1', port: 0 })
  apps.push(app)
  const address = app.server.address()
  const port = address instanceof Object ? address.port : 0
  return async () => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {})
    await once(socket, 'connect')
    return socket
  }
}

const get = 'GET / HTTP/1.1\r\nhost: a\r\n\r\n'
async function answered(socket: Socket, request = get): Promise<boolean> {
  socket.write(request)
  return Promise.race([once(socket, 'data').then(() => true), once(socket, 'close').then(() => false)])
}

it('refuses connections of an address above its limit, and accepts them again when some have closed', async () => {
  const open = await serve({ perAddress: 3, shared: [] })
  const held = [await open(), await open(), await open()]
  for (const socket of held) expect(await answered(socket)).toBe(true)
  expect(await answered(await open())).toBe(false)
  const [first] = held as [Socket]
  first.destroy()
  await once(first, 'close')
  // The service notices a closed connection asynchronously.
  let isTaken = false
  while (!isTaken) isTaken = await answered(await open())
  for (const socket of held) socket.destroy()
})

it('counts the addresses of one IPv6 network together', () => {
  const server = new EventEmitter()
  boundAddresses(server as unknown as Pick<Server, 'on'>, { perAddress: 2, shared: [] })
  const isRefused = (remoteAddress: string) => {
    let refused = false
    const destroy = () => {
      refused = true
    }
    server.emit('connection', Object.assign(new EventEmitter(), { remoteAddress, destroy }))
    return refused
  }
  const ofNetwork = ['2001:db8:0:1::1', '2001:db8:0:1:a::2', '2001:db8:0:1:ffff::3']
  expect(ofNetwork.map(isRefused)).toEqual([false, false, true])
  expect(isRefused('2001:db8:0:2::1')).toBe(false)
})

it('does not count connections from this machine or from a trusted proxy, which carries those of all clients', async () => {
  const open = await serve({ perAddress: 1 })
  const held = [await open(), await open(), await open()]
  for (const socket of held) expect(await answered(socket)).toBe(true)
  for (const socket of held) socket.destroy()
})

it('closes the connection of a sender whose body does not arrive, and no other', async () => {
  const open = await serve({ bodyMs: 200 })
  const slow = await open()
  slow.write('POST /body HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{')
  const prompt = await open()
  const whole =
    'POST /body HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}'
  expect(await answered(prompt, whole)).toBe(true)
  await once(slow, 'close')
  expect(await answered(prompt, whole)).toBe(true)
  prompt.destroy()
})

it('closes the connection of a reader that does not read a long response', async () => {
  const ended = Promise.withResolvers<void>()
  const endless = function* () {
    for (;;) yield Buffer.alloc(64 * 1024)
  }
  const open = await serve({ stallMs: 200 }, (app) =>
    app.get('/endless', (_request, reply) => {
      const stream = Readable.from(endless())
      stream.once('close', () => ended.resolve())
      return reply.send(stream)
    }),
  )
  const socket = await open()
  socket.write('GET /endless HTTP/1.1\r\nhost: a\r\n\r\n')
  await once(socket, 'data')
  socket.pause()
  await ended.promise
  socket.destroy()
})

it('closes the connection of a reader that does not read a long text', async () => {
  const ended = Promise.withResolvers<void>()
  const open = await serve({ stallMs: 200 }, (app) =>
    app.get('/long', async (_request, reply) => {
      reply.raw.once('close', () => ended.resolve())
      return 'x'.repeat(32 * 1024 ** 2)
    }),
  )
  const socket = await open()
  socket.write('GET /long HTTP/1.1\r\nhost: a\r\n\r\n')
  await once(socket, 'readable')
  await ended.promise
  socket.destroy()
})

it('keeps the connection of a reader while there is nothing to send', async () => {
  const source = new PassThrough()
  const waitedThrice = Promise.withResolvers<void>()
  const open = await serve({ stallMs: 100, bodyMs: 50 }, (app) =>
    app.get('/later', (_request, reply) => {
      let times = 0
      reply.raw.on('timeout', () => {
        times += 1
        if (times === 3) waitedThrice.resolve()
      })
      return reply.send(source)
    }),
  )
  const socket = await open()
  socket.write('GET /later HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\n\r\n{}')
  source.write('first')
  await once(socket, 'data')
  // Several times as long as a reader may stall.
  await waitedThrice.promise
  source.write('second')
  expect(String((await once(socket, 'data'))[0])).toContain('second')
  source.end()
  socket.destroy()
})

describe('requests that a client sends without waiting for answers', () => {
  /** A route whose answers the test releases, and the requests that it got. */
  async function serveSlowly() {
    const asked: { answer: () => void; closed: Promise<unknown> }[] = []
    const open = await serve({}, (app) =>
      app.get('/slow', async (_request, { raw }) => {
        const { promise, resolve: answer } = Promise.withResolvers<void>()
        asked.push({ answer, closed: once(raw, 'close') })
        await promise
        return 'late'
      }),
    )
    const socket = await open()
    const until = async (count: number) => {
      while (asked.length < count) await nextRound()
    }
    return { asked, socket, until }
  }
  const slow = 'GET /slow HTTP/1.1\r\nhost: a\r\n\r\n'

  it('are handled one after another', async () => {
    const { asked, socket, until } = await serveSlowly()
    let text = ''
    socket.on('data', (bytes) => {
      text += String(bytes)
    })
    socket.write(slow.repeat(3))
    for (let count = 1; count <= 3; count += 1) {
      await until(count)
      for (let round = 0; round < 20; round += 1) await nextRound()
      expect(asked).toHaveLength(count)
      asked[count - 1]?.answer()
    }
    while (text.split('late').length < 4) await nextRound()
    socket.destroy()
  })

  it('are not handled behind an answer that closes the connection', async () => {
    const { asked, socket } = await serveSlowly()
    const closed = once(socket, 'close')
    const broken =
      'POST /body HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 1\r\n\r\n{'
    socket.resume().write(broken + slow)
    await closed
    for (let round = 0; round < 20; round += 1) await nextRound()
    expect(asked).toHaveLength(0)
  })

  it('are not handled after their client has gone', async () => {
    const { asked, socket, until } = await serveSlowly()
    socket.write(slow.repeat(3))
    await until(1)
    socket.destroy()
    await asked[0]?.closed
    asked[0]?.answer()
    for (let round = 0; round < 20; round += 1) await nextRound()
    expect(asked).toHaveLength(1)
  })

  it('close the connection where they are too many', async () => {
    const { asked, socket } = await serveSlowly()
    socket.write(slow.repeat(1000))
    await once(socket, 'close')
    expect(asked).toHaveLength(1)
  })
})
