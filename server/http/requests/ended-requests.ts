import type { FastifyInstance, FastifyRequest } from 'fastify'

/** A request that has ended. */
export interface EndedRequest {
  request: FastifyRequest
  method: string
  /** As it is declared; undefined where no route has the path. */
  route: string | undefined
  /** Undefined: the client left before the answer. */
  status: number | undefined
  /** Until the last byte of the answer, waits and streams included. */
  ms: number
  sentBytes: number
  /** The answer was not sent to its end. */
  isBroken: boolean
}

type Listener = (ended: EndedRequest) => void

/** Tells the listeners of each request that has ended. */
export function onEndedRequests(app: FastifyInstance, listeners: readonly Listener[]): void {
  app.addHook('onRequest', (request, { raw }, done) => {
    const startedMs = performance.now()
    const { socket } = request.raw
    const sentBefore = socket.bytesWritten
    raw.once('close', () => {
      const ended: EndedRequest = {
        request,
        method: request.method,
        route: request.routeOptions.url,
        status: raw.headersSent ? raw.statusCode : undefined,
        ms: performance.now() - startedMs,
        sentBytes: socket.bytesWritten - sentBefore,
        isBroken: !raw.writableFinished,
      }
      for (const listener of listeners) listener(ended)
    })
    done()
  })
}
