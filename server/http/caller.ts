import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Route } from '@sandbox-jobs/contract/routes/route.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { CurrentPrincipal, Principal } from '../access/principal.ts'
import type { Acting } from '../base/current-request.ts'
import type { RequestScheduler } from '../fairness/request-scheduler.ts'
import { type TakeTurn, turnOf } from './bounds/take-turn.ts'

/* The caller: kept with the request when its first hook has authenticated it, and read again where a request lasts. */

/** The name under which a request keeps what its first hook authenticated, for the handler. */
export const callerDecorator = 'authenticatedCall'

export interface AuthenticatedCall {
  /** Null where the credential is not of a person. */
  principal: Principal | null
  companyId: string
  /** The value that `Prefetch` or `Admit` returned. */
  prefetched: unknown
  /** Authenticates once more; throws what the first time throws. */
  readAgain: ReadCaller | undefined
  readAtMs: number
  takeTurn: TakeTurn
}

export type ReadCaller = () => Promise<{ principal: Principal; prefetched: unknown }>
type KeptCall = Omit<AuthenticatedCall, 'takeTurn' | 'readAtMs'> & { scheduler: RequestScheduler | undefined }

/** Keeps who calls, for the parser of the body and the handler. */
export const keepCaller = (
  request: FastifyRequest,
  reply: FastifyReply,
  call: Omit<KeptCall, 'companyId'> & { principal: Principal },
): void => keepCall(request, reply, { ...call, companyId: call.principal.companyId })

/** `keepCaller`, also for a credential that is not of a person. */
export function keepCall(
  request: FastifyRequest,
  reply: FastifyReply,
  { scheduler, ...call }: KeptCall,
): void {
  const takeTurn = turnOf(scheduler, call.companyId, reply)
  const readAtMs = performance.now()
  request.setDecorator<AuthenticatedCall>(callerDecorator, { ...call, takeTurn, readAtMs })
}

/** As long as a request takes that waits for nothing. */
const callerMaxAgeMsDefault = 1000

/**
 * Reads again who calls, unless that was just done: the body of a request may take a minute to arrive, and its turn to come, in
 * which a person can be dismissed or a key revoked. Call it right before the handler.
 */
export async function refreshCaller(
  request: FastifyRequest,
  callerMaxAgeMs = callerMaxAgeMsDefault,
): Promise<void> {
  const call = request.getDecorator<AuthenticatedCall | null>(callerDecorator)
  if (!call?.readAgain || performance.now() - call.readAtMs < callerMaxAgeMs) return
  const now = await call.readAgain()
  request.setDecorator<AuthenticatedCall>(callerDecorator, { ...call, ...now })
}

/** The principal of the request. */
export function callerOf(request: FastifyRequest): Principal {
  const call = request.getDecorator<AuthenticatedCall | null>(callerDecorator)
  if (!call?.principal) throw new Error('a route without credentials asked who calls')
  return call.principal
}

/** How long an answer that lasts goes on with what was read of its caller. */
const currentMaxAgeMs = 5000

/** The principal of an answer that lasts: read again after five seconds. Throws for one who would not be let in any more. */
export function currentCaller(request: FastifyRequest, maxAgeMs = currentMaxAgeMs): CurrentPrincipal {
  let current = Promise.resolve(callerOf(request))
  let readAtMs = performance.now()
  const { readAgain } = request.getDecorator<AuthenticatedCall>(callerDecorator)
  return () => {
    if (readAgain && performance.now() - readAtMs >= maxAgeMs) {
      readAtMs = performance.now()
      current = readAgain().then(({ principal }) => principal)
    }
    return current
  }
}

/** Resolves when the scheduler lets the request of this company start. */
export const takeTurn = (request: FastifyRequest, bodyBytes: number): Promise<void> | undefined =>
  request.getDecorator<AuthenticatedCall | null>(callerDecorator)?.takeTurn(bodyBytes)

/** The company of the request; undefined on routes without credentials. */
export const companyOf = (request: FastifyRequest): string | undefined =>
  request.getDecorator<AuthenticatedCall | null>(callerDecorator)?.companyId

/** The id of the person whose request it is; empty for other credentials. */
export const senderOf = (request: FastifyRequest): string =>
  request.getDecorator<AuthenticatedCall | null>(callerDecorator)?.principal?.principalId ?? ''

const names = new Map<Route, string>(Object.entries(allRoutes).map(([name, route]) => [route, name]))

/** The audit action of a route: its name. Undefined for routes that only read. */
export const auditActionOf = (route: Route): string | undefined =>
  route.method === 'GET' ? undefined : (names.get(route) ?? `${route.method} ${route.path}`)

/** The one who acts, for the audit log; null: nobody who is known by credentials. */
export function actingOf(action: string, principal: Principal | null, chatroomId?: string): Acting {
  if (!principal) return { action, actor_type: 'anonymous', actor_id: '' }
  return {
    action,
    actor_type: principal.principalType,
    actor_id: principal.principalId,
    api_key_id: principal.apiKey?.id ?? principal.gatewayKeyId,
    turn_id: principal.turn?.messageId,
    chatroom_id: chatroomId ?? principal.turn?.roomId,
  }
}
