import type { ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type AddressRange, contains, parseAddress } from '../../base/addresses/address-range.ts'
import { PlainError } from '../../base/errors/plain-error.ts'
import { ClientCounts } from '../../fairness/client-counts.ts'
import { OpenConnections } from '../../fairness/open-connections.ts'
import { SharedSlots } from '../../fairness/shared-slots.ts'
import { companyOf } from '../caller.ts'
import { clientAddress, isLoopback, plainAddress } from '../requests/client-address.ts'
import { isStreamedBody } from '../requests/media-type.ts'

export interface ConnectionBounds {
  /** Simultaneous connections. */
  connections: number
  /** Of these, connections on which requests of one company are being handled. */
  perCompany: number
  /** Connections of one address; behind a trusted proxy, requests that are being handled. Twice as many for a /56 of IPv6. */
  perAddress: number
  /** Time to receive the headers of a request, and a body that is read as a whole. */
  headersMs: number
  bodyMs: number
  /** A reader that does not read pending data for this long is disconnected. */
  stallMs: number
  /** They carry connections of many clients. */
  trustedProxies: readonly AddressRange[]
  /** Whether connections from this machine are counted as those of one client. */
  countsLoopback: boolean
}

export const connectionBoundsFor = (trustedProxies: readonly AddressRange[]): ConnectionBounds => ({
  connections: 8192,
  perCompany: 2048,
  perAddress: 512,
  headersMs: 20_000,
  bodyMs: 60_000,
  stallMs: 60_000,
  trustedProxies,
  countsLoopback: false,
})

/**
 * Connections that the kernel keeps until the process accepts them. It drops the first packet of further ones, and their clients repeat
 * it after 1, 2, 4 and 8 s. The kernel's own limit for a socket, `net.core.somaxconn`, is the same unless it was changed.
 */
export const unacceptedMax = 4096

/** Bounds, turns, the log and the streams of a download each wait for the end of an answer: a few more than Node expects. */
const listenersOfAnswer = 20
/** Requests of one connection that wait for the one before them. Clients that wait for each answer have none. */
const pipelinedMax = 16

/**
 * Limits what one client can hold without making a request: connections, and time to send and to read. A streamed
 * body may take as long as the whole request; its route limits how many uploads a company has at once.
 */
export function boundConnections(app: FastifyInstance, bounds: ConnectionBounds): void {
  const { server } = app
  server.headersTimeout = bounds.headersMs
  handleInOrder(app)
  shareConnections(app, bounds)
  app.addHook('preParsing', (request, _reply, payload, done) => {
    if (hasBody(request) && !isStreamedBody(request)) {
      const { raw } = request
      // A request that has arrived completely is not late, however long its response takes.
      const timer = setTimeout(() => raw.complete || raw.destroy(), bounds.bodyMs)
      payload.once('close', () => clearTimeout(timer)).once('end', () => clearTimeout(timer))
    }
    done(null, payload)
  })
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (isLong(payload)) endStalled(reply.raw, bounds.stallMs)
    done()
  })
}

/** More than a connection takes at once, whether or not anybody reads it. */
const longMinBytes = 64 * 1024

const isLong = (payload: unknown): boolean =>
  typeof payload === 'string' || Buffer.isBuffer(payload)
    ? payload.length >= longMinBytes
    : payload instanceof Object && 'pipe' in payload

const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

const tooMany = () => new PlainError(429, 'Too Many Requests', { 'retry-after': '1' })

/** Shares the connections among clients and companies. */
function shareConnections(app: FastifyInstance, bounds: ConnectionBounds): void {
  const { connections, perCompany, perAddress, trustedProxies, countsLoopback } = bounds
  const open = new OpenConnections(connections)
  const clients = new ClientCounts(perAddress)
  const companies = new SharedSlots({ all: connections, each: perCompany, assuredEach: 0 })
  /** Connections of trusted proxies: the client of each request is in its header. */
  const proxied = new WeakSet<Socket>()
  app.server.on('connection', (socket: Socket) => {
    const address = plainAddress(socket.remoteAddress ?? '')
    const range = parseAddress(address)
    if (range && trustedProxies.some((proxies) => contains(proxies, range))) proxied.add(socket)
    else if (countsLoopback || !isLoopback(address)) {
      const release = clients.take(address)
      if (!release) return void socket.destroy()
      socket.once('close', release)
    }
    if (!open.add(socket)) socket.destroy()
  })
  app.addHook('onRequest', ({ raw: { socket }, headers }, { raw: answer }, done) => {
    open.began(socket)
    answer.setMaxListeners(listenersOfAnswer)
    answer.once('close', () => open.ended(socket))
    if (!proxied.has(socket)) return done()
    const peer = socket.remoteAddress ?? ''
    const client = clientAddress({ peer, headers }, trustedProxies)
    // The proxy did not say whose request it is.
    if (client === plainAddress(peer)) return done()
    const release = clients.take(client)
    if (release) answer.once('close', release)
    done(release ? undefined : tooMany())
  })
  // The caller is known after the hooks of the route.
  app.addHook('preParsing', (request, { raw: answer }, payload, done) => {
    const company = companyOf(request)
    if (company === undefined) return done(null, payload)
    const release = companies.take(company)
    if (!release) return done(tooMany())
    answer.once('close', release)
    open.serves(request.raw.socket)
    done(null, payload)
  })
}

/** The answer in progress on a connection, and the requests behind it. */
interface Line {
  current: ServerResponse
  waiting: { answer: ServerResponse; start: () => void }[]
}

/** Behind an answer that closes the connection, a request would never end: nothing is written any more. */
const isClosing = ({ destroyed, writableEnded }: Socket): boolean => destroyed || writableEnded

/**
 * Handles the requests of a connection one after another. A client may send them without waiting for answers, and Node would
 * pass on any number at once; of those behind the first it would not even notice that their client has gone.
 */
function handleInOrder(app: FastifyInstance): void {
  const lines = new WeakMap<Socket, Line>()
  const startNext = (socket: Socket, line: Line) => {
    const next = isClosing(socket) ? undefined : line.waiting.shift()
    if (!next) return
    line.current = next.answer
    if (line.waiting.length > 0) next.answer.once('close', () => startNext(socket, line))
    next.start()
  }
  app.addHook('onRequest', ({ raw: { socket } }, { raw: answer }, start) => {
    const line = lines.get(socket)
    if (!line) {
      lines.set(socket, { current: answer, waiting: [] })
      return start()
    }
    // The usual client has waited for its answer: no listener is added for it.
    if (line.current.closed && line.waiting.length === 0) {
      if (isClosing(socket)) return
      line.current = answer
      return start()
    }
    if (line.waiting.length >= pipelinedMax) return void socket.destroy()
    line.waiting.push({ answer, start })
    if (line.waiting.length === 1) line.current.once('close', () => startNext(socket, line))
  })
}

/** Closes a connection that makes no progress while data waits to be sent. Keeps it while nothing waits. */
function endStalled(response: ServerResponse, stallMs: number): void {
  const { socket } = response
  // A request that was injected into the app has no connection.
  if (!(socket instanceof Socket)) return
  response.setTimeout(stallMs, () => {
    if (response.writableLength > 0 || socket.writableLength > 0) socket.destroy()
    else socket.setTimeout(stallMs)
  })
}
