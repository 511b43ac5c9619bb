import { expect, test } from 'vitest'
import { createLog } from '../../base/logging.ts'
import { createApp } from '../app.ts'

const app = createApp(createLog('test', 'silent'))
const origin = 'https://chat.example'

test('a preflight request lists what may be sent, without credentials', async () => {
  const answer = await app.inject({
    method: 'OPTIONS',
    url: '/private/module/sandbox/chatrooms/x/runs',
    headers: { origin, 'access-control-request-method': 'POST' },
  })
  expect(answer.statusCode).toBe(204)
  expect(answer.headers['access-control-allow-origin']).toBe('*')
  expect(answer.headers['access-control-allow-headers']).toContain('X-Api-Key')
  // A client of MCP in a browser.
  expect(answer.headers['access-control-allow-headers']).toContain('Mcp-Protocol-Version')
  expect(answer.headers['access-control-allow-credentials']).toBeUndefined()
})

test('a response, also an error, can be read by the page that made the request', async () => {
  const answer = await app.inject({ url: '/nowhere', headers: { origin } })
  expect(answer.statusCode).toBe(404)
  expect(answer.headers['access-control-allow-origin']).toBe('*')
})

test('a page can read the retry time and the file name', async () => {
  const answer = await app.inject({ url: '/nowhere', headers: { origin } })
  const exposed = String(answer.headers['access-control-expose-headers']).toLowerCase().split(', ')
  expect(exposed).toEqual(expect.arrayContaining(['retry-after', 'content-disposition']))
})

test('a request without an origin gets no origin headers', async () => {
  const answer = await app.inject({ url: '/nowhere' })
  expect(answer.headers['access-control-allow-origin']).toBeUndefined()
})
