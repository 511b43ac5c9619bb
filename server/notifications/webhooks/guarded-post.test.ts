import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer, type Socket } from 'node:net'
import { afterAll, beforeEach, describe, expect, it, test } from 'vitest'
import { startHookServer } from '../../../testing/hook-server.ts'
import type { GuardedOptions } from '../../base/guarded-requests/guarded-request.ts'
import { reachableBy, resolveName } from '../../base/guarded-requests/reachable-addresses.ts'
import { guardedPost } from './guarded-post.ts'

const server = await startHookServer()
afterAll(() => server.close())
beforeEach(() => {
  server.posts.length = 0
})

const loopback = reachableBy(['127.0.0.1/32'])
const options: GuardedOptions = {
  isReachable: loopback,
  resolve: async () => ['127.0.0.1'],
  timeoutMs: 1000,
  ca: server.ca,
}
const post = (url: string, change: Partial<GuardedOptions> = {}) =>
  guardedPost(
    new URL(url),
    { headers: { 'webhook-id': 'evt_1' }, body: '{"é":1}' },
    { ...options, ...change },
  )

describe('a post', () => {
  it('carries headers and body, and succeeds with any 2xx', async () => {
    expect(await post(server.url('/ok'))).toEqual({ status: 204, error: null })
    expect(server.posts).toMatchObject([
      {
        path: '/ok',
        body: '{"é":1}',
        headers: { 'webhook-id': 'evt_1', host: expect.stringMatching(/^hooks\.test:\d+$/) },
      },
    ])
  })

  it('follows no redirect', async () => {
    server.answers['/redirect'] = (response) =>
      response.writeHead(307, { location: server.url('/inside') }).end()
    expect(await post(server.url('/redirect'))).toEqual({ status: 307, error: 'redirect' })
    expect(server.posts.map(({ path }) => path)).toEqual(['/redirect'])
  })

  it('reads little of an answer of gigabytes, and does not wait for its end', async () => {
    let sent = 0
    const closed = Promise.withResolvers<void>()
    server.answers['/gigabytes'] = (response) => {
      const chunk = Buffer.alloc(64 * 1024)
      response.writeHead(200)
      response.on('close', () => closed.resolve())
      const more = () => {
        while (!response.destroyed && sent < 2 ** 30) {
          sent += chunk.length
          if (!response.write(chunk)) return void response.once('drain', more)
        }
      }
      more()
    }
    expect(await post(server.url('/gigabytes'))).toEqual({ status: 200, error: null })
    await closed.promise
    expect(sent).toBeLessThan(16 * 2 ** 20)
  })

  it('closes an answer that never ends, and ends with its connection', async () => {
    let open = 0
    let most = 0
    server.answers['/endless'] = (response) => {
      open += 1
      most = Math.max(most, open)
      response.writeHead(200).write('start')
      response.on('close', () => {
        open -= 1
      })
    }
    for (let count = 0; count < 3; count += 1)
      expect(await post(server.url('/endless'), { timeoutMs: 60_000 })).toEqual({ status: 200, error: null })
    expect(most).toBe(1)
  })

  it('ends after its time where nothing is answered', async () => {
    server.answers['/hang'] = () => undefined
    const startedAt = performance.now()
    expect(await post(server.url('/hang'))).toEqual({ status: null, error: 'timeout' })
    expect(performance.now() - startedAt).toBeLessThan(30_000)
  })

  it('ends after its time where the name has no answer', async () => {
    expect(await post(server.url('/ok'), { resolve: () => new Promise(() => undefined) })).toEqual({
      status: null,
      error: 'timeout',
    })
  })

  it('verifies the certificate, and that it is for the name', async () => {
    expect(await post(server.url('/ok'), { ca: undefined })).toMatchObject({ error: 'tls' })
    expect(await post(server.url('/ok').replace('hooks.test', 'other.test'))).toMatchObject({ error: 'tls' })
    expect(server.posts).toEqual([])
  })
})

test('slow headers and headers without an end are cut off', async () => {
  const sockets = new Set<Socket>()
  const raw = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.write('HTTP/1.1 200 OK\r\n')
    const timer = setInterval(() => socket.write(`x-slow: 1\r\n`), 50)
    socket.on('close', () => clearInterval(timer))
  })
  const flood = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.write(`HTTP/1.1 200 OK\r\n${`x-long: ${'a'.repeat(1000)}\r\n`.repeat(100)}`)
  })
  for (const each of [raw, flood]) {
    each.listen(0, '127.0.0.1')
    await once(each, 'listening')
  }
  const urlOf = (of: typeof raw) => `http://hooks.test:${(of.address() as AddressInfo).port}/`
  expect(await post(urlOf(raw))).toEqual({ status: null, error: 'timeout' })
  expect(await post(urlOf(flood))).toEqual({ status: null, error: 'headers_too_large' })
  for (const socket of sockets) socket.destroy()
  for (const each of [raw, flood]) each.close()
})

describe('an address inside', () => {
  const isReachable = reachableBy()
  it.each([
    ...[
      '127.0.0.1',
      '10.1.2.3',
      '172.16.0.1',
      '192.168.1.1',
      '169.254.169.254',
      '100.64.0.1',
      '0.0.0.0',
      '224.0.0.1',
    ],
    ...[
      '168.63.129.16',
      '255.255.255.255',
      '::1',
      '::',
      '::ffff:127.0.0.1',
      '64:ff9b::7f00:1',
      'fe80::1',
      'fd00::1',
    ],
    ...['fe80::1%eth0', '2002:7f00:1::', '127.1', '0x7f000001', 'name', ''],
  ])('%s is never reached', (address) => expect(isReachable(address)).toBe(false))
  it.each(['93.184.216.34', '8.8.8.8', '2606:2800:220:1:248:1893:25c8:1946'])('%s is reached', (address) =>
    expect(isReachable(address)).toBe(true),
  )

  it('refuses the post also as one of several, or by a number in the address', async () => {
    const refused = { status: null, error: 'address_forbidden' }
    const resolve = async () => ['93.184.216.34', '127.0.0.1']
    expect(await post(server.url('/ok'), { isReachable, resolve })).toEqual(refused)
    const port = new URL(server.url('/')).port
    for (const host of ['127.0.0.1', '2130706433', '0x7f.1', '[::1]', '[::ffff:7f00:1]'])
      expect(await post(`http://${host}:${port}/`, { isReachable, resolve: resolveName })).toEqual(refused)
    expect(server.posts).toEqual([])
  })

  it('is not reached by a name that changes after the check: it is resolved once, and that address is used', async () => {
    let asked = 0
    // Public at the check, loopback at any later look-up; nothing listens there in tests.
    const resolve = async () => [asked++ === 0 ? '192.0.2.1' : '127.0.0.1']
    const answer = await post(server.url('/ok'), {
      isReachable: (each) => each === '192.0.2.1',
      resolve,
      timeoutMs: 300,
    })
    expect(answer.status).toBeNull()
    expect([asked, server.posts]).toEqual([1, []])
  })
})
