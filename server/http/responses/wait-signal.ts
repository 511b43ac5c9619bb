import { setMaxListeners } from 'node:events'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { onceClosed } from '../requests/client-gone.ts'

/** Of each server of this process. */
const stops = new WeakMap<FastifyInstance['server'], AbortSignal>()

/** Ends the answers that only wait when the app closes: a stop would otherwise take as long as they do. */
export function endWaitsAtClose(app: FastifyInstance): void {
  const stopping = new AbortController()
  setMaxListeners(0, stopping.signal)
  stops.set(app.server, stopping.signal)
  app.addHook('preClose', async () => stopping.abort())
}

/** Fires when the reader has gone or the process stops. For answers that may end early, whose clients ask again. */
export function waitSignal(reply: FastifyReply): AbortSignal {
  const over = new AbortController()
  const end = () => over.abort()
  const stopping = stops.get(reply.server.server)
  if (stopping?.aborted) end()
  stopping?.addEventListener('abort', end)
  onceClosed(reply, () => {
    stopping?.removeEventListener('abort', end)
    end()
  })
  return over.signal
}
