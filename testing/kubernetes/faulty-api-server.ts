import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ClusterAccess } from '../../kubernetes/api/cluster-access.ts'
import { makeCertificate } from '../certificate.ts'

export interface ReceivedRequest {
  method: string
  path: string
  query: Record<string, string>
  authorization: string
  contentLength: string
  body: string
}

export type Answer = (response: ServerResponse, request: ReceivedRequest) => void

/** An API server over TLS that gives the answers of a test, in their order, and closes the connection where there is none left. */
export class FaultyApiServer {
  readonly #server: Server
  readonly #folder = mkdtempSync(join(tmpdir(), 'api-server-'))
  readonly #certificate: string
  readonly requests: ReceivedRequest[] = []
  readonly answers: Answer[] = []

  private constructor(server: Server, certificate: string) {
    this.#server = server
    this.#certificate = certificate
    this.reset()
  }

  static async start(): Promise<FaultyApiServer> {
    const { certificate, key } = makeCertificate(1)
    const server = createServer({ cert: certificate, key })
    const started = new FaultyApiServer(server, certificate)
    server.on('request', (request, response) => void started.#answer(request, response))
    await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
    return started
  }

  /** Forgets requests and answers, and writes the files of its clients again. */
  reset(): void {
    this.requests.length = 0
    this.answers.length = 0
    writeFileSync(join(this.#folder, 'ca.crt'), this.#certificate)
    writeFileSync(join(this.#folder, 'token'), 'a-token\n')
  }

  get access(): ClusterAccess {
    return {
      server: `https://localhost:${(this.#server.address() as AddressInfo).port}`,
      folder: this.#folder,
    }
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'https://localhost')
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const received = {
      method: request.method ?? '',
      path: pathname,
      query: Object.fromEntries(searchParams),
      authorization: request.headers.authorization ?? '',
      contentLength: request.headers['content-length'] ?? '',
      body: Buffer.concat(parts).toString(),
    }
    this.requests.push(received)
    const answer = this.answers.shift()
    if (answer) answer(response, received)
    else response.destroy()
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
    rmSync(this.#folder, { recursive: true })
  }
}

/** A whole answer. */
export const answered =
  (body: object, status = 200): Answer =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

/** A `Status`, as the API server refuses. */
export const refused = (code: number, reason: string): Answer =>
  answered({ kind: 'Status', status: 'Failure', code, reason, message: `it is ${reason}` }, code)

/** Less than the answer's head promises. */
export const cutAnswer: Answer = (response) => {
  response.writeHead(200, { 'content-length': '1000' }).write('{"metadata":', () => response.destroy())
}

/** Events of a watch, which then ends, or is cut in the middle of another one. */
export const watched =
  (events: readonly object[], end: 'ends' | 'cut' = 'ends'): Answer =>
  (response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.write(events.map((event) => `${JSON.stringify(event)}\n`).join(''))
    if (end === 'ends') response.end()
    else response.write('{"type":"ADDED","obj', () => response.destroy())
  }

export const objectNamed = (name: string, resourceVersion = '1') => ({
  metadata: { name, uid: `uid-of-${name}`, resourceVersion },
})
