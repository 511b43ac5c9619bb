import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../../testing/database/test-database.ts'
import { World } from './world.ts'

/* Malformed bytes on a real socket: the server has to answer with an error and close the connection. */
const { url } = await createTestDatabase()
let world: World
let port: number
let authorization: string

beforeAll(async () => {
  world = await World.make(url)
  await world.app.listen({ host: '127.0.0.1', port: 0 })
  const address = world.app.server.address()
  port = address instanceof Object ? address.port : 0
  authorization = `authorization: ${world.callers.manager.authorization}`
})
afterAll(() => world.close())

/** Sends chunks, and returns the response until the server closes the connection. */
async function exchange(...chunks: (string | Buffer)[]): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  let answer = ''
  socket.setEncoding('utf8').on('data', (text: string) => {
    answer += text
  })
  // A server that has answered may reset the connection while the client still sends.
  socket.on('error', () => {})
  for (const chunk of chunks) socket.write(chunk)
  await once(socket, 'close')
  return answer
}

const tasks = '/private/module/sandbox/tasks'
const post = (headers: string[], body = '') =>
  [
    `POST ${tasks} HTTP/1.1`,
    'host: sandbox',
    authorization,
    'connection: close',
    'content-type: application/json',
    ...headers,
    '',
    body,
  ].join('\r\n')

const statuses = (answer: string) =>
  [...answer.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status))
const bodyOf = (answer: string) => answer.slice(answer.indexOf('\r\n\r\n') + 4)

const lengths = [
  '12a',
  '-1',
  '+5',
  '0x10',
  '1 2',
  '1,2',
  '18446744073709551616',
  '99999999999999999999999',
  '',
]

test.each(lengths)('content-length %j is refused with its code', async (length) => {
  const answer = await exchange(post([`content-length: ${length}`], '{}'))
  expect(statuses(answer)).toEqual([400])
  expect(JSON.parse(bodyOf(answer))).toMatchObject({ detail: { code: 'invalid_content_length' } })
})

test('two different lengths, or a length with chunked encoding, are refused', async () => {
  expect(statuses(await exchange(post(['content-length: 2', 'content-length: 3'], '{}')))).toEqual([400])
  const both = post(['content-length: 2', 'transfer-encoding: chunked'], '2\r\n{}\r\n0\r\n\r\n')
  expect(statuses(await exchange(both))).toEqual([400])
})

test('chunked bodies are accepted and bounded', async () => {
  const chunked = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`
  const small = await exchange(post(['transfer-encoding: chunked'], chunked('{}')))
  expect(statuses(small)).toEqual([422])
  const large = await exchange(post(['transfer-encoding: chunked'], chunked(`"${'x'.repeat(300_000)}"`)))
  expect(statuses(large)).toEqual([413])
})

test('a length that is too large is refused before the body is sent', async () => {
  const answer = await exchange(post(['content-length: 900000000']))
  expect(statuses(answer)).toEqual([413])
  expect(JSON.parse(bodyOf(answer))).toMatchObject({ detail: { code: 'request_too_large' } })
})

const garbage: [string, string | Buffer][] = [
  ['no HTTP', 'hello\r\n\r\n'],
  ['random bytes', Buffer.from('8f1c00ff7a0d0a0d0a160301', 'hex')],
  ['a TLS hello', Buffer.from('16030100c8010000c40303', 'hex')],
  ['a header without a colon', 'GET / HTTP/1.1\r\nhost: a\r\nbroken\r\n\r\n'],
  ['NUL in a header', 'GET / HTTP/1.1\r\nhost: a\r\nx: a\0b\r\n\r\n'],
  ['a space before the colon', 'GET / HTTP/1.1\r\nhost : a\r\n\r\n'],
  ['no host', 'GET / HTTP/1.1\r\n\r\n'],
  ['an unknown version', 'GET / HTTP/9.9\r\nhost: a\r\n\r\n'],
  ['an unknown method', 'BREW / HTTP/1.1\r\nhost: a\r\n\r\n'],
]

test.each(garbage)('%s is answered with 400 and closed', async (_, bytes) => {
  expect(statuses(await exchange(bytes))).toEqual([400])
})

test('headers beyond the bound are refused with 431', async () => {
  const answer = await exchange(`GET / HTTP/1.1\r\nhost: a\r\nx: ${'a'.repeat(20_000)}\r\n\r\n`)
  expect(statuses(answer)).toEqual([431])
})

test('garbage after a request ends the connection, before or after the response', async () => {
  const first = `GET ${tasks} HTTP/1.1\r\nhost: a\r\n${authorization}\r\n\r\n`
  const answers = statuses(await exchange(`${first}garbage\r\n\r\n`))
  expect([[400], [200, 400]]).toContainEqual(answers)
})

test('a body cannot smuggle a request', async () => {
  const hidden = `GET /private/module/sandbox/me HTTP/1.1\r\nhost: a\r\n${authorization}\r\n\r\n`
  const answer = await exchange(post([`content-length: ${hidden.length}`], hidden))
  expect(statuses(answer)).toEqual([422])
})

test.each([
  '/%00',
  '/..%2f..%2fetc/passwd',
  '/%2e%2e/%2e%2e/',
  '/%ff%fe',
  '/%',
  '//',
  `/${'a/'.repeat(4000)}`,
])('the path %s is a client error', async (path) => {
  const answer = await exchange(`GET ${path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`)
  expect([404, 422]).toContain(statuses(answer)[0])
})

test.each(['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'HEAD', 'PROPFIND'])(
  '%s on a path without that method does nothing',
  async (method) => {
    const answer = await exchange(
      `${method} ${tasks} HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-length: 0\r\n${authorization}\r\n\r\n`,
    )
    // OPTIONS is a CORS preflight.
    expect(method === 'OPTIONS' ? [204] : [200, 404, 405]).toContain(statuses(answer)[0])
  },
)
