import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Route } from '@sandbox-jobs/contract/routes/route.ts'
import type { Principal } from '../access/principal.ts'
import type { Acting } from '../base/current-request.ts'

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
