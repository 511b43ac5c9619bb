import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildLoad, freshNumber, type LoadRequest, putUnderLoad } from './load.ts'

let folder: string
let load: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bench-load-'))
  load = await buildLoad(folder)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function loaded(answer: RequestListener, requests: LoadRequest[]) {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  try {
    return await putUnderLoad({ load, port, connections: 2, durationMs: 50, requests })
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

const get = (path: string, headers: Record<string, string> = {}): LoadRequest => ({
  method: 'GET',
  path,
  headers,
})

test('requests are sent in turn, each with a unique number', async () => {
  const paths = new Set<string | undefined>()
  const numbers: unknown[] = []
  const answer: RequestListener = (request, response) => {
    paths.add(request.url)
    numbers.push(request.headers['x-number'])
    response.setHeader('content-length', 2).end('ok')
  }
  const requests = ['/a', '/b', '/c', '/d'].map((path) => get(path, { 'x-number': freshNumber }))
  const result = await loaded(answer, requests)
  const again = await loaded(answer, requests)
  expect([...paths].sort()).toEqual(['/a', '/b', '/c', '/d'])
  expect(new Set(numbers).size).toBe(numbers.length)
  expect(result.answers + again.answers).toBe(numbers.length)
  expect(result.p99Ms).toBeGreaterThanOrEqual(result.p50Ms)
})

test('a response that is not 2xx is an error', async () => {
  const refuse: RequestListener = (_request, response) =>
    response.writeHead(429, { 'content-length': 0 }).end()
  await expect(loaded(refuse, [get('/'), get('/')])).rejects.toThrow('one of them with 429')
})
