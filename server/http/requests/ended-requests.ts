import type { FastifyInstance, FastifyRequest } from 'fastify'
import { systemClock } from '../../base/clock.ts'
import { queuedRuns } from '../../base/current-request.ts'

/** A request that has ended. */
export interface EndedRequest {
  request: FastifyRequest
  method: string
  /** As it is declared; undefined where no route has the path. */
  route: string | undefined
  /** Undefined: the client left before the answer. */
  status: number | undefined
  endedAt: Date
  /** Until the last byte of the answer, waits and streams included. */
  ms: number
  sentBytes: number
  /** The answer was not sent to its end. */
  isBroken: boolean
  /** Ids of the runs that it has queued, also those of a transaction that was rolled back. */
  queuedRuns: readonly string[]
}

type Listener = (ended: EndedRequest) => void

/** Calls the listeners after each request. The hook comes after the one that enters the request. */
export function onEndedRequests(app: FastifyInstance, listeners: readonly Listener[]): void {
  app.addHook('onRequest', (request, { raw }, done) => {
    const startedMs = performance.now()
    const { socket } = request.raw
    const sentBefore = socket.bytesWritten
    const runs = queuedRuns()
    raw.once('close', () => {
      const ended: EndedRequest = {
        request,
        method: request.method,
        route: request.routeOptions.url,
        status: raw.headersSent ? raw.statusCode : undefined,
        endedAt: systemClock.now(),
        ms: performance.now() - startedMs,
        sentBytes: socket.bytesWritten - sentBefore,
        isBroken: !raw.writableFinished,
        queuedRuns: runs,
      }
      for (const listener of listeners) listener(ended)
    })
    done()
  })
}
