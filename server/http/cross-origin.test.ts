import { expect, test } from 'vitest'
import { createLog } from '../base/logging.ts'
import { createApp } from './app.ts'

const app = createApp(createLog('test', 'silent'))
const origin = 'https://chat.example'

test('a browser that asks first is told what it may send, without credentials', async () => {
  const answer = await app.inject({
    method: 'OPTIONS',
    url: '/private/module/sandbox/chatrooms/x/runs',
    headers: { origin, 'access-control-request-method': 'POST' },
  })
  expect(answer.statusCode).toBe(204)
  expect(answer.headers['access-control-allow-origin']).toBe('*')
  expect(answer.headers['access-control-allow-headers']).toContain('X-Api-Key')
  expect(answer.headers['access-control-allow-credentials']).toBeUndefined()
})

test('an answer, also a refusal, can be read by the page that asked', async () => {
  const answer = await app.inject({ url: '/nowhere', headers: { origin } })
  expect(answer.statusCode).toBe(404)
  expect(answer.headers['access-control-allow-origin']).toBe('*')
})

test('a page that asked can read when to come again and how a file is called', async () => {
  const answer = await app.inject({ url: '/nowhere', headers: { origin } })
  const exposed = String(answer.headers['access-control-expose-headers']).toLowerCase().split(', ')
  expect(exposed).toEqual(expect.arrayContaining(['retry-after', 'content-disposition']))
})

test('nobody else is told about origins', async () => {
  const answer = await app.inject({ url: '/nowhere' })
  expect(answer.headers['access-control-allow-origin']).toBeUndefined()
})
