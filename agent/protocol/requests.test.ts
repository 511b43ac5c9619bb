import { expect, test } from 'vitest'
import { type AgentRequest, requestLine, requestOf } from './requests.ts'

const digest = `sha256:${'a'.repeat(64)}`

/** Each request with its line, which has not changed since the first release: an agent serves workers of other releases. */
const lines: [AgentRequest, string][] = [
  [{ kind: 'capacity' }, 'GET /capacity'],
  [{ kind: 'runner' }, 'GET /runner'],
  [{ kind: 'builder' }, 'GET /builder'],
  [{ kind: 'list' }, 'GET /sandboxes'],
  [{ kind: 'start', id: 'run_1' }, 'POST /sandboxes/run_1/start'],
  [{ kind: 'wait', id: 'run_1' }, 'GET /sandboxes/run_1/exit'],
  [{ kind: 'stop', id: 'run_1' }, 'POST /sandboxes/run_1/stop'],
  [{ kind: 'forbid', id: 'run_1' }, 'POST /sandboxes/run_1/forbid'],
  [{ kind: 'log', id: 'run_1' }, 'GET /sandboxes/run_1/log'],
  [{ kind: 'logSince', id: 'run_1', position: 7, waitMs: 0 }, 'GET /sandboxes/run_1/news/7/0'],
  [{ kind: 'file', id: 'run_1', name: 'a/b c' }, 'GET /sandboxes/run_1/files/a%2Fb%20c'],
  [{ kind: 'tree', id: 'run_1' }, 'GET /sandboxes/run_1/tree'],
  [{ kind: 'remove', id: 'run_1' }, 'DELETE /sandboxes/run_1'],
  [{ kind: 'hasImage', digest }, `GET /images/${digest}`],
  [{ kind: 'installImage', digest }, `PUT /images/${digest}`],
  [{ kind: 'removeImage', digest }, `DELETE /images/${digest}`],
]

test.each(lines)('%o is one line, and that line is the request', (request, line) => {
  const { method, path } = requestLine(request)
  expect(`${method} ${path}`).toBe(line)
  expect(requestOf(method, path)).toEqual(request)
})

test.each([
  ['GET', '/sandboxes/%ff/log'],
  ['GET', '/sandboxes/../log'],
  ['PUT', '/sandboxes/run_1/exit'],
  ['GET', '/sandboxes/run_1/news/x/0'],
  ['GET', '/sandboxes/run_1/news/0/10001'],
  ['GET', '/images/sha256:abc'],
  ['POST', `/images/${digest}`],
  ['GET', '/toString'],
  ['GET', '//'],
])('%s %s is refused', (method, path) => {
  expect(() => requestOf(method, path)).toThrow(expect.objectContaining({ slug: 'request_invalid' }))
})
