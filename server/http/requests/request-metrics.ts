import { METHODS } from 'node:http'
import { Counter, Histogram } from 'prom-client'
import type { EndedRequest } from './ended-requests.ts'

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

/** Counts a request by its declared route: nothing that a client chooses is a label. */
export function countRequest({
  method: sent,
  route = 'none',
  status,
  ms,
}: Pick<EndedRequest, 'method' | 'route' | 'status' | 'ms'>): void {
  const method = methods.has(sent) ? sent : 'other'
  durations.observe({ method, route }, ms / 1000)
  requests.inc({ method, route, status: status === undefined ? 'none' : `${Math.floor(status / 100)}xx` })
}
