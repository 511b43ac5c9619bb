import { once } from 'node:events'
import http, { type IncomingMessage, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, expect, test } from 'vitest'
import type { MirrorKind } from '../../port/package-mirror.ts'
import { MirrorServer, mirrorLimits } from './mirror-server.ts'
import type { ProxyMirror } from './mirror-target.ts'

/*
 * Behaviour of the proxy towards a mirror that lies, hangs or floods, and towards a step that asks for more than the
 * mirror's folder.
 */

const open: { close(): unknown; closeAllConnections?(): void }[] = []
afterEach(() => {
  for (const server of open.splice(0)) {
    server.closeAllConnections?.()
    server.close()
  }
})

const mib = 1024 ** 2
const limits = { ...mirrorLimits, headMs: 300, idleMs: 300, answerBytes: mib, running: 2, waiting: 2 }

async function listening(server: Server | ReturnType<typeof createTcpServer>): Promise<number> {
  open.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

const mirrorAt = (port: number, change: Partial<ProxyMirror> = {}): ProxyMirror => ({
  kind: 'npm',
  name: 'npm',
  url: `http://mirror.test:${port}/repo`,
  addresses: ['127.0.0.1'],
  login: 'user:secret',
  ...change,
})

/** The proxy's port for these mirrors. */
async function proxyOf(mirrors: ProxyMirror[], kind: MirrorKind = 'npm') {
  const proxy = new MirrorServer(limits)
  proxy.set(mirrors)
  const server = await proxy.listen(kind, 0, '127.0.0.1')
  open.push(server)
  return { proxy, port: (server.address() as AddressInfo).port }
}

/** A proxy for one mirror that answers so. */
async function proxyTo(answer: RequestListener, change: Partial<ProxyMirror> = {}) {
  const mirror = mirrorAt(await listening(http.createServer(answer)), change)
  return proxyOf([mirror], mirror.kind)
}

interface Got {
  status: number
  reason: string
  headers: IncomingMessage['headers']
  body: string
}

async function get(port: number, path: string, options: http.RequestOptions = {}): Promise<Got> {
  const request = http.request({ host: '127.0.0.1', port, path, agent: false, ...options })
  request.end()
  const [answer] = (await once(request, 'response')) as [IncomingMessage]
  const body = await text(answer).catch(() => 'broken')
  return { status: answer.statusCode ?? 0, reason: answer.statusMessage ?? '', headers: answer.headers, body }
}

/** The code of the only failure of the test's link. */
const failures = (proxy: MirrorServer) =>
  Object.values(proxy.records.take('127.0.0.1')).flatMap((use) => Object.keys(use.failures))

test('the mirror gets the login, and nothing of the tool’s own', async () => {
  const { port } = await proxyTo((request, response) => response.end(JSON.stringify(request.headers)))
  const headers = { authorization: 'Bearer own', cookie: 'a=b', 'x-forwarded-for': '1.1.1.1', accept: 'x/y' }
  const { body, status } = await get(port, '/repo/left-pad', { headers })
  expect(status).toBe(200)
  expect(JSON.parse(body)).toEqual({
    host: expect.stringMatching(/^mirror\.test:/),
    accept: 'x/y',
    'accept-encoding': 'identity',
    authorization: `Basic ${Buffer.from('user:secret').toString('base64')}`,
    connection: 'keep-alive',
  })
})

test.each([
  ...['/', '/other', '/repository/x', '/repo', '//evil/repo/', '/repo/../admin', '/repo/%2e%2e/admin'],
  ...['/repo/a%2f..%2f..%2fadmin', '/repo/..%5cadmin', '/repo/%252e%252e/admin', '/repo/x%00'],
  ...['http://evil.test/admin', 'https://evil.test/repo/x'],
])('%s is outside of the mirror', async (path) => {
  const asked: string[] = []
  const { port, proxy } = await proxyTo((request, response) => {
    asked.push(request.url ?? '')
    response.end()
  })
  const { status, reason } = await get(port, path)
  expect([status, reason, asked]).toEqual([403, 'mirror_path_outside', []])
  expect(failures(proxy)).toEqual(['mirror_path_outside'])
})

test('a scoped name keeps its encoded slash', async () => {
  const { port } = await proxyTo((request, response) => response.end(request.url))
  expect((await get(port, '/repo/@scope%2fname?x=1')).body).toBe('/repo/@scope%2fname?x=1')
})

test.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('%s is refused', async (method) => {
  const { port } = await proxyTo((_request, response) => response.end())
  expect(await get(port, '/repo/x', { method })).toMatchObject({
    status: 405,
    reason: 'mirror_method_refused',
  })
})

test('addresses of the mirror in an index become addresses of the proxy, also at the edge of a chunk', async () => {
  let origin = ''
  const { port } = await proxyTo((request, response) => {
    origin = `http://${request.headers.host}`
    response.setHeader('content-type', 'application/json')
    const body = JSON.stringify({ tarball: `${origin}/repo/x.tgz`, other: 'http://elsewhere/x' })
    response.write(body.slice(0, 20))
    setTimeout(() => response.end(body.slice(20)), 30)
  })
  const { body } = await get(port, '/repo/x')
  expect(JSON.parse(body)).toEqual({
    tarball: `http://127.0.0.1:${port}/repo/x.tgz`,
    other: 'http://elsewhere/x',
  })
})

test('a redirect within the mirror is passed on, any other is not followed', async () => {
  const { port } = await proxyTo((request, response) => {
    const { host } = request.headers
    const targets: Record<string, string> = {
      '/repo/a': 'b',
      '/repo/b': `http://${host}/repo/c?d`,
      '/repo/out': '/admin',
      '/repo/dots': '/repo/../admin',
      '/repo/scheme': `https://${host}/repo/c`,
      '/repo/none': '',
    }
    const location = targets[request.url ?? ''] ?? 'http://10.0.0.1/'
    response.writeHead(302, location === '' ? {} : { location }).end()
  })
  const base = `http://127.0.0.1:${port}`
  expect((await get(port, '/repo/a')).headers.location).toBe(`${base}/repo/b`)
  expect((await get(port, '/repo/b')).headers.location).toBe(`${base}/repo/c?d`)
  for (const path of ['out', 'dots', 'scheme', 'host']) {
    const { status, reason, headers } = await get(port, `/repo/${path}`)
    expect([status, reason, headers.location]).toEqual([502, 'mirror_redirect_elsewhere', undefined])
  }
})

test.each<[string, RequestListener, string]>([
  ['no answer', () => undefined, 'mirror_timeout'],
  ['a refused login', (_, response) => response.writeHead(401).end(), 'mirror_login_refused'],
  [
    'an announced flood',
    (_, response) => response.writeHead(200, { 'content-length': 2 * mib }).flushHeaders(),
    'mirror_answer_too_large',
  ],
])('%s ends with its code', async (_what, answer, code) => {
  const { port, proxy } = await proxyTo(answer)
  const { reason, body, status } = await get(port, '/repo/x')
  expect(status).toBeGreaterThanOrEqual(500)
  expect([reason, body]).toEqual([code, expect.stringMatching(`^${code}: The .*\\.\n$`)])
  expect(failures(proxy)).toEqual([code])
})

test.each<[string, RequestListener, string]>([
  [
    'a flood',
    (_, response) => {
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536)));
      }
      response.on('drain', more)
      more()
    },
    'mirror_answer_too_large',
  ],
  ['silence in the middle', (_, response) => void response.write('start'), 'mirror_timeout'],
  [
    'an early end',
    (_, response) => {
      response.writeHead(200, { 'content-length': 100 }).write('start')
      setTimeout(() => response.destroy(), 30)
    },
    'mirror_answer_incomplete',
  ],
])('%s breaks the answer off, and is recorded', async (_what, answer, code) => {
  const { port, proxy } = await proxyTo(answer)
  expect((await get(port, '/repo/x')).body).toBe('broken')
  // The tool may see the end before it is recorded.
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(failures(proxy)).toEqual([code])
})

test.each([
  ['what is no HTTP', 'SSH-2.0-x\r\n', 'mirror_answer_invalid'],
  ['headers without end', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}`, 'mirror_answer_invalid'],
  ['an end before the headers', '', 'mirror_unreachable'],
])('%s ends with its code', async (_what, bytes, code) => {
  const port = await listening(
    createTcpServer((socket) => {
      socket.on('error', () => undefined)
      socket.end(bytes)
    }),
  )
  const { proxy, port: own } = await proxyOf([mirrorAt(port)])
  expect((await get(own, '/repo/x')).reason).toBe(code)
  expect(failures(proxy)).toEqual([code])
})

test.each([
  ['no address', { addresses: [] }],
  ['a closed port', { url: 'http://mirror.test:1/repo' }],
])('%s is unreachable', async (_what, change) => {
  const { port } = await proxyOf([mirrorAt(1, change)])
  expect((await get(port, '/repo/x')).reason).toBe('mirror_unreachable')
})

test('a kind without a mirror has its own code', async () => {
  const { port } = await proxyOf([mirrorAt(1, { kind: 'pypi', name: 'pypi' })])
  expect((await get(port, '/repo/x')).reason).toBe('mirror_not_declared')
})

test('one link has so many requests at once, so many wait, and more are refused', async () => {
  let running = 0
  let most = 0
  const ends: (() => void)[] = []
  const { port } = await proxyTo((_request, response) => {
    running += 1
    most = Math.max(most, running)
    ends.push(() => {
      running -= 1
      response.end('x')
    })
  })
  const all = Array.from({ length: 5 }, () => get(port, '/repo/x'))
  expect((await Promise.race(all)).reason).toBe('mirror_busy')
  while (ends.length > 0 || running > 0) {
    ends.shift()?.()
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  const reasons = (await Promise.all(all)).map(({ reason }) => reason)
  expect(reasons.toSorted()).toEqual(['OK', 'OK', 'OK', 'OK', 'mirror_busy'])
  expect(most).toBe(2)
})

test('apt reaches an archive by the address of its sources', async () => {
  const answer: RequestListener = (request, response) => {
    if (request.url === '/deb/old') response.writeHead(301, { location: '/deb/new' }).end()
    else response.end(request.url)
  }
  const server = await listening(http.createServer(answer))
  const apt = (archive: string, folder: string) =>
    mirrorAt(server, {
      kind: 'apt',
      name: `apt/${archive}`,
      archive,
      url: `http://mirror.test:${server}${folder}`,
    })
  const { port } = await proxyOf([apt('debian', '/deb'), apt('debian-security', '/sec')], 'apt')
  const body = async (path: string) => (await get(port, path)).body
  expect(await body('http://any.test/debian/dists/stable/InRelease')).toBe('/deb/dists/stable/InRelease')
  expect(await body('http://any.test/debian-security/pool/a%2bb.deb')).toBe('/sec/pool/a%2bb.deb')
  expect((await get(port, '/debian/old')).headers.location).toBe(`http://127.0.0.1:${port}/debian/new`)
  expect((await get(port, 'http://any.test/ubuntu/dists')).reason).toBe('mirror_not_declared')
})
