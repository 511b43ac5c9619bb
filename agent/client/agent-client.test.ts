import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { layerOf } from '../../testing/image-layer.ts'
import { ExecutorUnavailable } from '../port/errors.ts'
import { AgentClient } from './agent-client.ts'

/** Requests that the fake agent received, as `method path` and body, in order. */
let received: string[]
/** Answers a request, or breaks its connection. */
let reaction: (request: IncomingMessage, response: ServerResponse, count: number) => void
let folder: string
let server: Server
let client: AgentClient

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'client-'))
  received = []
  server = createServer(async (request, response) => {
    const body = await text(request)
    received.push(`${request.method} ${request.url} ${body}`.trim())
    reaction(request, response, received.length)
  })
  server.listen(join(folder, 'agent.sock'))
  await once(server, 'listening')
  client = new AgentClient(join(folder, 'agent.sock'))
})
afterEach(async () => {
  client.close()
  server.closeAllConnections()
  server.close()
  await rm(folder, { recursive: true })
})

const answer = (response: ServerResponse) => response.end('true')
const breakOff = (request: IncomingMessage) => request.socket.destroy()

test('a call whose kept connection breaks before the response is retried on another connection', async () => {
  reaction = (request, response, count) => (count === 2 ? breakOff(request) : answer(response))
  expect(await client.forbid('run_a')).toBe(true)
  expect(await client.forbid('run_b')).toBe(true)
  expect(received).toEqual([
    'POST /sandboxes/run_a/forbid',
    'POST /sandboxes/run_b/forbid',
    'POST /sandboxes/run_b/forbid',
  ])
})

test('a call that breaks on a new connection is reported and not retried', async () => {
  reaction = (request) => breakOff(request)
  await expect(client.forbid('run_a')).rejects.toBeInstanceOf(ExecutorUnavailable)
  expect(received).toHaveLength(1)
})

test('a call is retried once only', async () => {
  reaction = (request, response, count) => (count < 3 ? answer(response) : breakOff(request))
  // Two connections are kept.
  await Promise.all([client.hasImage('a'), client.hasImage('b')])
  await expect(client.hasImage('c')).rejects.toBeInstanceOf(ExecutorUnavailable)
  expect(received.length).toBeLessThanOrEqual(4)
})

test('a streamed body is sent once, on a new connection', async () => {
  reaction = (request, response, count) => (count === 2 ? breakOff(request) : answer(response))
  await client.hasImage('a')
  await expect(client.installImage('b', layerOf(Buffer.from('tar')))).rejects.toBeInstanceOf(
    ExecutorUnavailable,
  )
  expect(received).toEqual(['GET /images/a', 'PUT /images/b tar'])
})

test('an aborted wait is not retried', async () => {
  const giveUp = new AbortController()
  reaction = (request, response, count) => {
    if (count === 1) return answer(response)
    giveUp.abort(new Error('enough'))
    breakOff(request)
  }
  await client.hasImage('a')
  await expect(client.wait('run_a', giveUp.signal)).rejects.toThrow('enough')
  expect(received).toHaveLength(2)
})
