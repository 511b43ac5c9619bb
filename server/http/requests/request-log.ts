import type { AddressRange } from '../../base/addresses/address-range.ts'
import type { Log } from '../../base/logging.ts'
import { LineBudget } from '../../fairness/line-budget.ts'
import { type AuthenticatedCall, callerDecorator } from '../caller.ts'
import { clientAddress } from './client-address.ts'
import type { EndedRequest } from './ended-requests.ts'

export interface RequestLogSettings {
  trustedProxies: readonly AddressRange[]
  /** Of the successful reads of a route, one in so many is logged; 0: none. */
  readsPerLine: number
}

/**
 * One line per request when it has ended: all writes and all errors, and some of the successful reads,
 * or all of them at the level `debug`. A line has ids, the route as it
 * is declared, and numbers; never a path, a query, a header or a body, in which there are tokens and texts of tenants.
 */
export function requestLogger(log: Log, settings: RequestLogSettings): (ended: EndedRequest) => void {
  const budget = new LineBudget((leftOut) => log.warn({ leftOut }, 'requests were not logged'))
  const isSampled = sampler(settings.readsPerLine)
  return ({ request, method, route, status, ms, sentBytes, isBroken }) => {
    if (!log.isLevelEnabled('info')) return
    const isOrdinary = isRead(method) && (status ?? 0) < 400
    if (isOrdinary && !log.isLevelEnabled('debug') && !isSampled(route ?? '')) return
    const call = request.getDecorator<AuthenticatedCall | null>(callerDecorator)
    if (!budget.take(call?.companyId ?? '')) return
    const { socket, headers } = request.raw
    log.info(
      {
        request: request.id,
        method,
        route,
        status,
        ms: Math.round(10 * ms) / 10,
        bytes: sentBytes,
        company: call?.companyId,
        person: call?.principal?.principalId,
        key: call?.principal?.apiKey?.id ?? call?.principal?.gatewayKeyId,
        from: clientAddress({ peer: socket.remoteAddress ?? '', headers }, settings.trustedProxies),
        ...(isBroken && { broken: true }),
      },
      'request',
    )
  }
}

const isRead = (method: string): boolean => method === 'GET' || method === 'HEAD' || method === 'OPTIONS'

/** Chooses the first read of each route and then one in so many, so that no busy route hides the others. */
function sampler(readsPerLine: number): (route: string) => boolean {
  const counts = new Map<string, number>()
  return (route) => {
    if (readsPerLine === 0) return false
    const count = counts.get(route) ?? 0
    counts.set(route, (count + 1) % readsPerLine)
    return count === 0
  }
}
