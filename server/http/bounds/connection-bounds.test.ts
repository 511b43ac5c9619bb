import { once } from 'node:events'
import type { Server } from 'node:http'
import { connect, type Socket } from 'node:net'
import { PassThrough, Readable } from 'node:stream'
import { setImmediate as nextRound } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { afterEach, describe, expect, it } from 'vitest'
import { type AddressRange, parseAddress } from '../../base/addresses/address-range.ts'
import { createLog } from '../../base/logging.ts'
import { createApp } from '../app.ts'
import { keepCall } from '../caller.ts'
import { boundConnections, type ConnectionBounds, connectionBoundsFor } from './connection-bounds.ts'

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

async function firstLine(socket: Socket, text: string): Promise<string | undefined> {
  socket.write(text)
  const [bytes] = await once(socket, 'data')
  return String(bytes).split('\r\n')[0]
}

it('refuses connections of an address above its limit, and accepts them again when some have closed', async () => {
  const open = await serve({ perAddress: 3, countsLoopback: true })
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

it('does not count connections from this machine', async () => {
  const open = await serve({ perAddress: 1 })
  const held = [await open(), await open(), await open()]
  for (const socket of held) expect(await answered(socket)).toBe(true)
  for (const socket of held) socket.destroy()
})

/** Routes whose answers the test releases, and how many requests they got. */
function slowRoutes() {
  const { promise, resolve: answer } = Promise.withResolvers<void>()
  const got: string[] = []
  const routes = (app: FastifyInstance) => {
    const handler = async (request: FastifyRequest) => {
      got.push(request.url)
      await promise
      return 'late'
    }
    app.get('/slow', handler)
    const onRequest = async (request: FastifyRequest, reply: FastifyReply) =>
      keepCall(request, reply, { ...nobody, companyId: String(request.headers['x-company']) })
    app.get('/known', { onRequest }, async () => 'here')
    app.get('/known/slow', { onRequest }, handler)
  }
  const until = async (count: number) => {
    while (got.length < count) await nextRound()
  }
  return { routes, answer, until }
}

const localhost = parseAddress('127.0.0.1') as AddressRange
const nobody = { principal: null, prefetched: undefined, readAgain: undefined, scheduler: undefined }

const request = (path: string, header = 'a: b') => `GET ${path} HTTP/1.1\r\nhost: a\r\n${header}\r\n\r\n`

it('counts the requests of one client behind a trusted proxy while they are being handled', async () => {
  const { routes, answer, until } = slowRoutes()
  const open = await serve({ perAddress: 2, trustedProxies: [localhost] }, routes)
  const of = (client: string, path = '/slow') => request(path, `x-forwarded-for: ${client}`)
  const busy = [await open(), await open()]
  for (const socket of busy) socket.write(of('203.0.113.7'))
  await until(2)
  const refused = await open()
  refused.write(of('203.0.113.7', '/'))
  expect(String((await once(refused, 'data'))[0])).toMatch(/^HTTP\/1.1 429 .*retry-after: 1/s)
  // The same connection of the proxy carries the requests of others.
  expect(await firstLine(refused, of('203.0.113.8', '/'))).toBe('HTTP/1.1 200 OK')
  expect(await firstLine(refused, get)).toBe('HTTP/1.1 200 OK')
  answer()
  await Promise.all(busy.map((socket) => once(socket, 'data')))
  expect(await firstLine(refused, of('203.0.113.7', '/'))).toBe('HTTP/1.1 200 OK')
  for (const socket of [...busy, refused]) socket.destroy()
})

it('gives a company a part of the connections', async () => {
  const { routes, answer, until } = slowRoutes()
  const open = await serve({ perCompany: 2 }, routes)
  const busy = [await open(), await open()]
  for (const socket of busy) socket.write(request('/known/slow', 'x-company: one'))
  await until(2)
  const more = await open()
  expect(await firstLine(more, request('/known', 'x-company: one'))).toBe('HTTP/1.1 429 Too Many Requests')
  expect(await firstLine(more, request('/known', 'x-company: two'))).toBe('HTTP/1.1 200 OK')
  answer()
  await Promise.all(busy.map((socket) => once(socket, 'data')))
  expect(await firstLine(more, request('/known', 'x-company: one'))).toBe('HTTP/1.1 200 OK')
  for (const socket of [...busy, more]) socket.destroy()
})

it('gives a new client the place of the connection that has been silent longest', async () => {
  const { routes, answer, until } = slowRoutes()
  const open = await serve({ connections: 5 }, routes)
  const known = await open()
  expect(await answered(known, request('/known', 'x-company: one'))).toBe(true)
  const atWork = await open()
  atWork.write(request('/known/slow', 'x-company: one'))
  await until(1)
  const [first, second, third] = [await open(), await open(), await open()]
  const firstClosed = once(first.resume(), 'close')
  const secondClosed = once(second.resume(), 'close')
  // Of strangers too, an answer counts.
  expect(await answered(third)).toBe(true)
  const late = await open()
  await firstClosed
  expect(await answered(late)).toBe(true)
  const later = await open()
  await secondClosed
  expect(await answered(later)).toBe(true)
  for (let at = 0; at < 20; at += 1) expect(await answered(await open())).toBe(true)
  expect(await answered(known)).toBe(true)
  const late2 = once(atWork, 'data')
  answer()
  expect(String((await late2)[0])).toContain('late')
  for (const socket of [known, atWork]) socket.destroy()
})

it('refuses a new connection when a known caller is being served on each', async () => {
  const { routes, answer, until } = slowRoutes()
  const open = await serve({ connections: 2 }, routes)
  const busy = [await open(), await open()]
  for (const socket of busy) socket.write(request('/known/slow', 'x-company: one'))
  await until(2)
  expect(await answered(await open())).toBe(false)
  answer()
  await Promise.all(busy.map((socket) => once(socket, 'data')))
  // The service notices the end of an answer after its client.
  let isTaken = false
  while (!isTaken) isTaken = await answered(await open())
})

it('closes a refused connection although its client keeps it open', async () => {
  const open = await serve({})
  const socket = await open()
  // No end of its own follows the end of the other side.
  socket.allowHalfOpen = true
  socket.write('no request\r\n\r\n')
  expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1.1 400 /)
  await once(socket, 'end')
  const server = apps.at(-1)?.server as Server
  const count = () => new Promise<number>((resolve) => server.getConnections((_error, open) => resolve(open)))
  while ((await count()) > 0) await nextRound()
  socket.destroy()
})

it('closes a connection without a request soon after its time', async () => {
  const open = await serve({ headersMs: 100 })
  const socket = await open()
  const since = performance.now()
  expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1.1 408 /)
  await once(socket, 'close')
  // Node looks every 30 s by default.
  expect(performance.now() - since).toBeLessThan(20_000)
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
