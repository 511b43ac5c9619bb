import type { FastifyReply } from 'fastify'
import { PlainError } from '../base/plain-error.ts'
import type { RequestTurns } from './request-turns.ts'

/** Waits for a request's turn, once: before its body is parsed, or before its handler where there is none to parse. */
export type TakeTurn = (bodyBytes: number) => Promise<void>

/** The turn of one request; it is over when the request is answered or its sender has gone. */
export function turnOf(turns: RequestTurns | undefined, companyId: string, { raw }: FastifyReply): TakeTurn {
  let taken: Promise<void> | undefined
  const take = async (bodyBytes: number) => {
    if (!turns) return
    const turn = turns.enter(companyId, bodyBytes)
    raw.once('close', () => turn.leave())
    if (turn.granted === true || (await turn.granted)) return
    throw new PlainError(408, 'Request Timeout')
  }
  return (bodyBytes) => {
    taken ??= take(bodyBytes)
    return taken
  }
}
