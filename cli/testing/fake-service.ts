import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { allRoutes, type RouteName } from '@sandbox-jobs/contract/routes/index.ts'
import type { Route } from '@sandbox-jobs/contract/routes/route.ts'

/** One request as the service received it. */
export interface FakeRequest {
  route: RouteName
  params: Record<string, string>
  query: URLSearchParams
  headers: IncomingMessage['headers']
  body: Buffer
}

/** A response: JSON with status 200, raw bytes, bytes after which the connection breaks, or an error. */
export type Answer =
  | { json: unknown }
  | { bytes: string | Buffer; headers?: Record<string, string> }
  | { broken: string }
  | { status: number; detail: unknown }

export type Answers = Partial<Record<RouteName, (request: FakeRequest) => Answer>>

export interface FakeService {
  url: string
  /** The received requests in order. */
  requests: FakeRequest[]
  answers: Answers
  close(): Promise<void>
}

/** A service on a free port that knows every route of the contract and answers those that a test defines. */
export async function fakeService(): Promise<FakeService> {
  const requests: FakeRequest[] = []
  const answers: Answers = {}
  const server = createServer((request, response) => {
    void answer(request, response)
  })
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const found = match(request)
    const body = await buffer(request)
    if (!found) return respond(response, { status: 404, detail: 'Not Found' })
    const whole = { ...found, headers: request.headers, body }
    requests.push(whole)
    const handler = answers[found.route]
    respond(response, handler ? handler(whole) : { status: 500, detail: `no answer for ${found.route}` })
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const close = async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
  return { url: `http://127.0.0.1:${port}`, requests, answers, close }
}

const table = Object.entries<Route>(allRoutes).map(([name, route]) => ({
  name: name as RouteName,
  method: route.method,
  path: new RegExp(`^${route.path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`),
}))

function match(request: IncomingMessage) {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://fake')
  for (const { name, method, path } of table) {
    const params = method === request.method ? path.exec(pathname) : null
    if (params) return { route: name, params: { ...params.groups }, query: searchParams }
  }
  return undefined
}

function respond(response: ServerResponse, answer: Answer): void {
  if ('bytes' in answer) return void response.writeHead(200, answer.headers).end(answer.bytes)
  if ('broken' in answer) {
    response.writeHead(200, { 'content-length': answer.broken.length + 1 })
    return void response.write(answer.broken, () => response.destroy())
  }
  const status = 'json' in answer ? 200 : answer.status
  const body = 'json' in answer ? answer.json : { detail: answer.detail }
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
