import type { FastifyReply } from 'fastify'
import { currentDatabaseUse, nameCompany } from '../../base/current-request.ts'
import { PlainError } from '../../base/errors/plain-error.ts'
import type { RequestScheduler } from '../../fairness/request-scheduler.ts'

/** Waits for a request's turn, once: before its body is parsed, or before its handler if the request has no body. */
export type TakeTurn = (bodyBytes: number) => Promise<void>

const gone = () => new PlainError(408, 'Request Timeout')

/**
 * The turn of one request. It ends when the request is answered or its sender is gone. From then on the request uses the
 * database as its company.
 */
export function turnOf(
  scheduler: RequestScheduler | undefined,
  companyId: string,
  { raw }: FastifyReply,
): TakeTurn {
  nameCompany(companyId)
  const use = currentDatabaseUse()
  const isAtDatabase = () => use !== undefined && use.atDatabase > 0
  let taken: Promise<void> | undefined
  const take = async (bodyBytes: number) => {
    if (!scheduler) return
    // Its sender may have left while it was authenticated.
    if (raw.closed) throw gone()
    const turn = scheduler.enter(companyId, bodyBytes, isAtDatabase)
    raw.once('close', () => turn.leave())
    if (turn.granted === true || (await turn.granted)) return
    throw gone()
  }
  return (bodyBytes) => {
    taken ??= take(bodyBytes)
    return taken
  }
}
