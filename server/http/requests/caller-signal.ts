import type { FastifyReply, FastifyRequest } from 'fastify'
import { isStillCaller } from '../mount.ts'
import { onceClosed } from './client-gone.ts'

const checkEveryMs = 30_000

/**
 * Fires when the connection of the answer is closed, or its caller would not be let in as before any more. For streams, which last
 * for a quarter of an hour: who was dismissed, or whose key was revoked, reads on for half a minute at most.
 */
export function callerSignal(
  request: FastifyRequest,
  reply: FastifyReply,
  everyMs = checkEveryMs,
): AbortSignal {
  const over = new AbortController()
  const check = () => void isStillCaller(request).then((isStill) => isStill || over.abort())
  const timer = setInterval(check, everyMs).unref()
  over.signal.addEventListener('abort', () => clearInterval(timer), { once: true })
  onceClosed(reply, () => over.abort())
  return over.signal
}
