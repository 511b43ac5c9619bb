import type { Server, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import {
  type AddressRange,
  contains,
  parseAddress,
  parseAddressRange,
} from '../../base/addresses/address-range.ts'
import { networkOf } from '../../base/addresses/network-of.ts'
import { isStreamedBody } from './media-type.ts'

export interface ConnectionBounds {
  /** Simultaneous connections, in total and per address, or per /64 network of IPv6. */
  connections: number
  perAddress: number
  /** Time to receive the headers of a request, and a body that is read as a whole. */
  headersMs: number
  bodyMs: number
  /** A reader that does not read pending data for this long is disconnected. */
  stallMs: number
  /** Addresses that carry connections of many clients: trusted proxies and this machine. */
  shared: readonly AddressRange[]
}

const loopback = ['127.0.0.0/8', '::1/128'].flatMap((range) => parseAddressRange(range) ?? [])

export const connectionBoundsFor = (trustedProxies: readonly AddressRange[]): ConnectionBounds => ({
  connections: 8192,
  perAddress: 512,
  headersMs: 20_000,
  bodyMs: 60_000,
  stallMs: 60_000,
  shared: [...loopback, ...trustedProxies],
})

/** Requests of one connection that wait for the one before them. Clients that wait for each answer have none. */
const pipelinedMax = 16

/**
 * Limits what one client can hold without making a request: connections, and time to send and to read. A streamed
 * body may take as long as the whole request; its route limits how many uploads a company has at once.
 */
export function boundConnections(app: FastifyInstance, bounds: ConnectionBounds): void {
  const { server } = app
  server.maxConnections = bounds.connections
  server.headersTimeout = bounds.headersMs
  boundAddresses(server, bounds)
  handleInOrder(app)
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

export function boundAddresses(
  server: Pick<Server, 'on'>,
  { perAddress, shared }: Pick<ConnectionBounds, 'perAddress' | 'shared'>,
): void {
  const counts = new Map<string, number>()
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress?.replace(/^::ffff:/, '') ?? ''
    const range = parseAddress(address)
    if (range && shared.some((known) => contains(known, range))) return
    const network = networkOf(address)
    const count = counts.get(network) ?? 0
    if (count >= perAddress) return void socket.destroy()
    counts.set(network, count + 1)
    socket.once('close', () => {
      const left = (counts.get(network) ?? 1) - 1
      if (left === 0) counts.delete(network)
      else counts.set(network, left)
    })
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
