import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type AddressRange, contains, parseAddress, parseAddressRange } from '../base/address-range.ts'
import { type BodyConfig, isStreamed } from './mount.ts'

export interface ConnectionBounds {
  /** Connections at once, of all and of one address. */
  connections: number
  perAddress: number
  /** For the headers of a request, and for a body that is taken as a whole. */
  headersMs: number
  bodyMs: number
  /** After which a reader who takes nothing of what waits for it is gone. */
  stallMs: number
  /** Addresses that have connections for many: trusted proxies, and what runs on this machine. */
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

/**
 * What one client may hold of the API without asking for anything: connections, and time for sending and for reading.
 * A body that is a stream has the time of the whole request, and its route bounds how many a company may send.
 */
export function boundConnections(app: FastifyInstance, bounds: ConnectionBounds): void {
  const { server } = app
  server.maxConnections = bounds.connections
  server.headersTimeout = bounds.headersMs
  boundAddresses(server, bounds)
  app.addHook('preParsing', (request, _reply, payload, done) => {
    if (hasBody(request) && !isStreamed(request.routeOptions.config as Partial<BodyConfig>)) {
      const { raw } = request
      // What has come is not late, however long its answer takes.
      const timer = setTimeout(() => raw.complete || raw.destroy(), bounds.bodyMs)
      payload.once('close', () => clearTimeout(timer)).once('end', () => clearTimeout(timer))
    }
    done(null, payload)
  })
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (payload instanceof Object && 'pipe' in payload) endStalled(reply.raw, bounds.stallMs)
    done()
  })
}

const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

function boundAddresses(server: Server, { perAddress, shared }: ConnectionBounds): void {
  const counts = new Map<string, number>()
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress?.replace(/^::ffff:/, '') ?? ''
    const range = parseAddress(address)
    if (range && shared.some((known) => contains(known, range))) return
    const count = counts.get(address) ?? 0
    if (count >= perAddress) return void socket.destroy()
    counts.set(address, count + 1)
    socket.once('close', () => {
      const left = (counts.get(address) ?? 1) - 1
      if (left === 0) counts.delete(address)
      else counts.set(address, left)
    })
  })
}

/** A connection on which nothing moves is closed where something waits to be sent, and kept where nothing does. */
function endStalled(response: ServerResponse, stallMs: number): void {
  response.setTimeout(stallMs, () => {
    const { socket } = response
    if (response.writableLength > 0 || (socket?.writableLength ?? 0) > 0) socket?.destroy()
    else socket?.setTimeout(stallMs)
  })
}
