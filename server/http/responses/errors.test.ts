import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { uncoded } from '@sandbox-jobs/contract/errors/uncoded.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import pg from 'pg'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { requestFields } from '../../base/current-request.ts'
import { DiskStorage } from '../../storage/disk.ts'
import { createApp } from '../app.ts'
import { mounter } from '../mount.ts'

class LogLines extends Writable {
  lines = ''

  override _write(chunk: unknown, _encoding: string, done: () => void): void {
    this.lines += String(chunk)
    done()
  }
}

it('logs what identifies a fault, without the row values that a database error quotes', async () => {
  const log = new LogLines()
  const app = createApp(pino(log))
  app.get('/broken', async () => {
    const error = new pg.DatabaseError('duplicate key value violates unique constraint "x"', 1, 'error')
    throw Object.assign(error, { code: '23505', detail: 'Key (name)=(a secret name) already exists.' })
  })
  const answer = await app.inject({ url: '/broken' })
  expect([answer.statusCode, answer.json().detail.code]).toEqual([500, 'internal_error'])
  expect(log.lines).toContain('23505')
  expect(log.lines).toContain('errors.test.ts')
  expect(log.lines).not.toContain('a secret name')
  expect(log.lines).toContain(`"request":"${answer.headers['x-request-id']}"`)
})

it('gives the lines that a handler logs the id of the response', async () => {
  const lines = new LogLines()
  const log = pino({ mixin: requestFields }, lines)
  const app = createApp(log)
  const authenticate = () => Promise.reject(new Error('an open route asks for no credentials'))
  mounter(app, { authenticate, isEnabled: () => true })(allRoutes.readPublicKey, async () => {
    log.warn('below HTTP')
    throw new Error('enough')
  })
  const answer = await app.inject({ url: allRoutes.readPublicKey.path })
  const written = lines.lines.trim().split('\n')
  // Its own, the fault, and that of the request.
  expect(written).toHaveLength(3)
  for (const line of written) {
    expect(JSON.parse(line)).toMatchObject({ request: answer.headers['x-request-id'] })
  }
})

it('gives every response an id of the service, not of the client', async () => {
  const app = createApp(pino({ level: 'silent' }))
  app.get('/', async () => 'ok')
  const requests = [{ url: '/' }, { url: '/absent' }, { url: '/', method: 'OPTIONS' as const }, { url: '/%' }]
  const ids = await Promise.all(
    requests.map(async (request) => {
      const headers = { 'x-request-id': 'sent by the client', 'request-id': 'sent by the client' }
      return (await app.inject({ ...request, headers })).headers['x-request-id']
    }),
  )
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{32}$/)
  expect(new Set(ids).size).toBe(requests.length)
})

it('refuses a large form before it is taken apart', async () => {
  const app = createApp(pino({ level: 'silent' }))
  app.post('/taken', { bodyLimit: 1024 ** 2 }, async () => 'taken')
  const post = (payload: string) =>
    app.inject({
      method: 'POST',
      url: '/taken',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload,
    })
  expect((await post('a&'.repeat(100))).statusCode).toBe(200)
  const { statusCode, body } = await post('a&'.repeat(100_000))
  expect([statusCode, JSON.parse(body).detail.code]).toEqual([413, 'request_too_large'])
})

it.each(['content-length: 8388608', 'transfer-encoding: chunked'])(
  'takes the rest of a refused body (%s), so that the sender reads the answer and sends the next request',
  async (length) => {
    const app = createApp(pino({ level: 'silent' }))
    app.post('/taken', { bodyLimit: 1024 }, async () => 'taken')
    await app.listen({ host: '127.0.0.1', port: 0 })
    const address = app.server.address()
    const socket = connect(address instanceof Object ? address.port : 0, '127.0.0.1')
    const [answer, rest] = [once(socket, 'data'), Buffer.alloc(8 * 1024 ** 2, ' ')]
    socket.write(`POST /taken HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n${length}\r\n\r\n`)
    if (length.startsWith('transfer')) socket.write('800000\r\n')
    // As a proxy that has sent a part when the answer comes.
    socket.write(rest.subarray(0, 2048))
    expect(String((await answer)[0])).toMatch(/^HTTP\/1.1 413 .*"request_too_large"/s)
    socket.write(rest.subarray(2048))
    if (length.startsWith('transfer')) socket.write('\r\n0\r\n\r\n')
    const next = once(socket, 'data')
    socket.write('GET /absent HTTP/1.1\r\nhost: a\r\n\r\n')
    expect(String((await next)[0])).toMatch(/^HTTP\/1.1 404 /)
    socket.destroy()
    await app.close()
  },
)

it('reports that the object store is unavailable when its disk fails on a read or a write', async () => {
  const app = createApp(pino({ level: 'silent' }))
  const storage = new DiskStorage('/dev/null')
  app.get('/read', () => storage.get('key'))
  app.get('/write', () => storage.put('key', Buffer.from('bytes')))
  for (const url of ['/read', '/write']) {
    const answer = await app.inject({ url })
    expect([answer.statusCode, answer.json().detail.code]).toEqual([503, 'storage_unavailable'])
  }
})

it('does not log an internal error when a sender hangs up during its body', async () => {
  const log = new LogLines()
  const app = createApp(pino(log))
  app.post('/taken', async () => 'taken')
  const statuses: number[] = []
  const answered = new Promise<void>((resolve) => {
    app.addHook('onSend', async (_request, reply) => {
      statuses.push(reply.statusCode)
      resolve()
    })
  })
  const started = new Promise<void>((resolve) => {
    app.addHook('preParsing', async () => resolve())
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const address = app.server.address()
  const socket = connect(address instanceof Object ? address.port : 0, '127.0.0.1')
  socket.write(
    'POST /taken HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{',
  )
  await started
  socket.destroy()
  await once(socket, 'close')
  await answered
  await app.close()
  expect([statuses, log.lines]).toEqual([[422], expect.not.stringContaining('request failed')])
})

it('has every text of a plain error in the documentation, and no other', async () => {
  const page = await readFile(join(import.meta.dirname, '../../../docs/errors.md'), 'utf8')
  const listed = [...page.matchAll(/^\| (\d{3}) \| `([^`]+)` \|/gm)].map(([, status, text]) => [
    Number(status),
    text,
  ])
  expect(listed).toEqual(Object.values(uncoded).map(({ status, detail }) => [status, detail]))
})
