import { METHODS } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { Counter, Histogram } from 'prom-client'

const requests = new Counter({
  name: 'sandbox_http_requests_total',
  help: 'Requests that have ended, by route as it is declared; status none: the client left before the answer.',
  labelNames: ['method', 'route', 'status'],
})
const durations = new Histogram({
  name: 'sandbox_http_request_duration_seconds',
  help: 'Time until the last byte of an answer, waits and streams included.',
  labelNames: ['method', 'route'],
  buckets: [0.005, 0.025, 0.1, 0.5, 2.5, 10, 60],
})
const methods = new Set(METHODS)

/** Counts requests by declared routes: nothing that a client chooses is a label. */
export function measureRequests(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    const startedMs = performance.now()
    reply.raw.once('close', () => {
      const { headersSent, statusCode } = reply.raw
      countRequest({
        method: request.method,
        route: request.routeOptions.url,
        status: headersSent ? statusCode : undefined,
        seconds: (performance.now() - startedMs) / 1000,
      })
    })
    done()
  })
}

export interface EndedRequest {
  method: string
  /** As it is declared; undefined where no route has the path. */
  route: string | undefined
  /** Undefined: the client left before the answer. */
  status: number | undefined
  seconds: number
}

export function countRequest({ method: sent, route = 'none', status, seconds }: EndedRequest): void {
  const method = methods.has(sent) ? sent : 'other'
  durations.observe({ method, route }, seconds)
  requests.inc({ method, route, status: status === undefined ? 'none' : `${Math.floor(status / 100)}xx` })
}
