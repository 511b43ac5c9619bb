import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { allRoutes } from '../routes/index.ts'
import { ApiError } from './api-error.ts'
import { createClient } from './client.ts'

interface Seen {
  method: string | undefined
  url: string | undefined
  headers: IncomingMessage['headers']
  body: string
}

type Answer = (response: ServerResponse) => void

let seen: Seen
let answer: Answer
const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))

const server = createServer(async (request, response) => {
  let body = ''
  for await (const chunk of request) body += String(chunk)
  seen = { method: request.method, url: request.url, headers: request.headers, body }
  answer(response)
})

let baseUrl: string
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/base/`
})
afterAll(() => new Promise((resolve) => server.close(resolve)))
beforeEach(() => {
  answer = json(200, { ok: true })
})

test('a call sends the key, the idempotency key and the body as JSON', async () => {
  const client = createClient({ baseUrl, apiKey: 'secret' })
  await client.call(allRoutes.submitRun, {
    params: { cid: 'roo_1' },
    body: { task_version_id: 'tvr_1', input: { a: [1] } },
    idempotencyKey: 'once',
  })
  expect(seen.method).toBe('POST')
  expect(seen.url).toBe('/base/private/module/sandbox/chatrooms/roo_1/runs')
  expect(seen.headers).toMatchObject({
    'x-api-key': 'secret',
    'idempotency-key': 'once',
    'content-type': 'application/json',
  })
  expect(JSON.parse(seen.body)).toEqual({ task_version_id: 'tvr_1', input: { a: [1] } })
})

test('lists in a query become repeated parameters and values are encoded', async () => {
  answer = json(200, { items: [], page_size: 5, next_page_token: null })
  const page = await createClient({ baseUrl, token: 'jwt' }).call(allRoutes.listRuns, {
    params: { cid: 'a/b' },
    query: { page_size: 5, page_token: 'x&y', status: ['queued', 'running'] },
  })
  expect(page.next_page_token).toBeNull()
  expect(seen.headers.authorization).toBe('Bearer jwt')
  expect(seen.url).toBe(
    '/base/private/module/sandbox/chatrooms/a%2Fb/runs?page_size=5&page_token=x%26y&status=queued&status=running',
  )
})

test.each(['', '.', '..'])('the client refuses the path parameter "%s"', async (id) => {
  const call = createClient({ baseUrl }).call(allRoutes.readTask, { params: { id } })
  await expect(call).rejects.toThrow(TypeError)
})

test('a login is sent as a form', async () => {
  await createClient({ baseUrl }).call(allRoutes.createToken, { body: { username: 'a b', password: 'c&d' } })
  expect(seen.headers['content-type']).toContain('application/x-www-form-urlencoded')
  expect(seen.body).toBe('username=a+b&password=c%26d')
})

test('an upload is streamed as bytes with its capability', async () => {
  const upload = new Blob(['one ', 'two']).stream()
  await createClient({ baseUrl, token: 'jwt' }).call(allRoutes.putContextUpload, {
    params: { id: 'env_1', sid: 'ups_1' },
    headers: { 'X-Sandbox-Upload-Capability': 'cap' },
    upload,
  })
  expect(seen.headers).toMatchObject({
    'content-type': 'application/octet-stream',
    'x-sandbox-upload-capability': 'cap',
  })
  expect(seen.body).toBe('one two')
})

test('raw bytes are returned as an open response', async () => {
  answer = (response) => response.writeHead(200, { 'content-disposition': 'attachment' }).end('bytes')
  const response = await createClient({ baseUrl }).call(allRoutes.downloadByToken, { params: { token: 't' } })
  expect(response.headers.get('content-disposition')).toBe('attachment')
  expect(await response.text()).toBe('bytes')
})

test('a coded error becomes an ApiError with its code and fields', async () => {
  const detail = { code: 'queue_full', message: 'Full.', limit: 200, retry_after_seconds: 60 }
  answer = json(429, { detail }, { 'retry-after': '60' })
  const call = createClient({ baseUrl }).call(allRoutes.listRegions)
  await expect(call).rejects.toBeInstanceOf(ApiError)
  await expect(call).rejects.toMatchObject({
    status: 429,
    code: 'queue_full',
    message: 'Full.',
    detail,
    retryAfterSeconds: 60,
  })
})

test('the message of a validation error lists each location', async () => {
  answer = json(422, { detail: [{ type: 'missing', loc: ['body', 'name'], msg: 'name is required' }] })
  const call = createClient({ baseUrl }).call(allRoutes.listRegions)
  await expect(call).rejects.toMatchObject({ status: 422, code: null, message: 'name is required' })
})

test('a plain-text error and a page of a proxy become messages', async () => {
  const client = createClient({ baseUrl })
  answer = json(418, { detail: 'Could not validate credentials' })
  await expect(client.call(allRoutes.readMe)).rejects.toMatchObject({
    status: 418,
    code: null,
    message: 'Could not validate credentials',
  })
  answer = (response) => response.writeHead(502).end('<h1>Bad gateway</h1>')
  await expect(client.call(allRoutes.readMe)).rejects.toMatchObject({ message: '<h1>Bad gateway</h1>' })
})

test('a redirect is an error, so that the key is not sent to another host', async () => {
  answer = (response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()
  await expect(createClient({ baseUrl, apiKey: 'k' }).call(allRoutes.readMe)).rejects.toThrow()
})
