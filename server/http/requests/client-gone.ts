import type { FastifyReply } from 'fastify'

/** Calls back once when the connection of the answer is closed: at once where that was before. */
export function onceClosed({ raw }: FastifyReply, closed: () => void): void {
  if (raw.closed) closed()
  else raw.once('close', closed)
}
