import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Clock } from '../../server/base/clock.ts'
import type { Log } from '../../server/base/logging.ts'
import type { GatewayAuthority } from './authority.ts'
import { BodyDeadline } from './body-deadline.ts'
import { ClientConnections } from './client-connections.ts'
import { GatewayRefused, unavailable } from './gateway-errors.ts'
import { headOf } from './request-head.ts'
import type { GatewayAnswer, RouteDeps } from './routes.ts'

export interface GatewayOptions extends RouteDeps {
  authority: GatewayAuthority
  listen: { address: string; port: number }
  clock: Clock
  log: Log
}

const headBytes = 8192
const headMs = 10_000
const keepAliveMs = 60_000
const connectionsMax = 4096
/** Certificates are issued again long before they end. */
const issueEveryMs = 86_400_000
/** Collectors of Debian's mbedTLS have no 1.3. */
const tls = {
  minVersion: 'TLSv1.2',
  ciphers: [
    ...['TLS_AES_256_GCM_SHA384', 'TLS_AES_128_GCM_SHA256', 'TLS_CHACHA20_POLY1305_SHA256'],
    ...['ECDHE-ECDSA-AES256-GCM-SHA384', 'ECDHE-ECDSA-AES128-GCM-SHA256', 'ECDHE-ECDSA-CHACHA20-POLY1305'],
  ].join(':'),
  ecdhCurve: 'X25519:P-256:P-384',
} as const

/** The listener for collectors (README.md). */
export class Gateway {
  readonly #options: GatewayOptions
  readonly #server: Server
  readonly #busy = new WeakSet<Socket>()
  readonly #renewal: NodeJS.Timeout

  private constructor(options: GatewayOptions) {
    this.#options = options
    this.#server = createServer({
      ...{ ...tls, ...this.#certificate(), handshakeTimeout: headMs },
      ...{ maxHeaderSize: headBytes, headersTimeout: headMs, keepAliveTimeout: keepAliveMs },
      // Bodies have a deadline by their length.
      requestTimeout: 0,
      connectionsCheckingInterval: 1000,
      insecureHTTPParser: false,
    })
    this.#server.maxConnections = connectionsMax
    const clients = new ClientConnections()
    this.#server.on('connection', (socket: Socket) => clients.take(socket))
    this.#server.on('request', (request, response) => void this.#serve(request, response))
    this.#server.on('clientError', (_error, socket) => socket.destroy())
    this.#renewal = setInterval(
      () => this.#server.setSecureContext({ ...tls, ...this.#certificate() }),
      issueEveryMs,
    )
    this.#renewal.unref()
  }

  static async start(options: GatewayOptions): Promise<Gateway> {
    const gateway = new Gateway(options)
    const { address, port } = options.listen
    await new Promise<void>((resolve, reject) => {
      gateway.#server.once('error', reject)
      gateway.#server.listen(port, address, resolve)
    })
    return gateway
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  async stop(): Promise<void> {
    clearInterval(this.#renewal)
    const closed = new Promise((resolve) => this.#server.close(resolve))
    this.#server.closeAllConnections()
    await closed
  }

  #certificate() {
    const { certificate, key } = this.#options.authority.issue(this.#options.clock.now())
    return { cert: certificate, key }
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { socket } = request
    // A request that does not wait for the answer to the one before is none of ours.
    if (this.#busy.has(socket)) {
      socket.destroy()
      return
    }
    this.#busy.add(socket)
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    response.on('error', () => {})
    try {
      await this.#answer(request, response, gone.signal)
    } catch (error) {
      this.#refuse(response, error)
    } finally {
      this.#busy.delete(socket)
    }
  }

  async #answer(request: IncomingMessage, response: ServerResponse, gone: AbortSignal): Promise<void> {
    const { route, ...head } = headOf(request)
    const deadline = new BodyDeadline(request, head.bodyBytes)
    let answer: GatewayAnswer
    try {
      answer = await route(this.#options, { ...head, body: deadline.body, gone })
    } catch (error) {
      throw deadline.isOver ? deadline.refusal : error
    } finally {
      deadline.end()
    }
    if (Symbol.asyncIterator in answer) await sendInput(answer as AsyncIterable<Buffer>, response)
    else sendObject(response, 200, answer)
  }

  #refuse(response: ServerResponse, error: unknown): void {
    if (response.headersSent || response.destroyed) {
      response.destroy()
      return
    }
    const refusal = error instanceof GatewayRefused ? error : unavailable()
    if (refusal !== error)
      this.#options.log.warn(
        { error: String(error) },
        'a request of a collector failed: it is answered with 503',
      )
    response.shouldKeepAlive = false
    sendObject(response, refusal.status, { error: refusal.code })
  }
}

function sendObject(response: ServerResponse, status: number, answer: object): void {
  const bytes = Buffer.from(JSON.stringify(answer))
  response
    .writeHead(status, { 'content-type': 'application/json', 'content-length': bytes.length })
    .end(bytes)
}

/** Neither a length nor chunks: the bytes say where they end, and a connection that ends before cut them. */
async function sendInput(bytes: AsyncIterable<Buffer>, response: ServerResponse): Promise<void> {
  response.useChunkedEncodingByDefault = false
  response.shouldKeepAlive = false
  response.writeHead(200, { 'content-type': 'application/octet-stream' })
  await pipeline(Readable.from(bytes, { objectMode: false }), response)
}
