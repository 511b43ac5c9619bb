import type { Action } from '@sandbox-jobs/contract/access/action.ts'
import { actions } from '@sandbox-jobs/contract/access/actions.ts'
import { isAuditor } from '@sandbox-jobs/contract/access/decide.ts'
import { uncoded } from '@sandbox-jobs/contract/errors/uncoded.ts'
import { stopsWhenDisabled } from '@sandbox-jobs/contract/routes/implied-errors.ts'
import type { Route } from '@sandbox-jobs/contract/routes/route.ts'
import { refusalOf } from '../access/allow.ts'
import type { Principal } from '../access/principal.ts'
import { CodedError } from '../base/errors/coded-error.ts'
import { PlainError } from '../base/errors/plain-error.ts'

const refuse = ({ status, detail }: { status: number; detail: string }) => new PlainError(status, detail)

/**
 * The reach of a sandbox-scope key: deny by default, rooms first, then the rule of the route's action
 * (contract part 1, "Restricted API keys").
 */
export function checkKeyScope(route: Route, principal: Principal, chatroomId: string | undefined): void {
  const key = principal.apiKey
  if (key?.scope !== 'sandbox') return
  if (chatroomId !== undefined && !key.allowedChatroomIds.includes(chatroomId))
    throw refuse(uncoded.key_chatroom)
  const rule = actions[route.action].key
  if (rule === 403 || rule === 'door') throw refuse(uncoded.key_scope)
  if (rule === 404) throw new CodedError('not_found')
  if (rule === 405) throw refuse(uncoded.method_not_allowed)
}

/** An auditor gets what the table refuses, and 403 where it refuses nobody else. */
export function checkAuditor(route: Route, principal: Principal): void {
  const { roles, refusal }: Action = actions[route.action]
  if (!isAuditor(principal) || roles.includes('auditor')) return
  throw refusal === 'none' || refusal === 'omitted' ? refuse(uncoded.role_too_low) : refusalOf(route.action)
}

/** The kill switch (contract part 1, global rule 3). */
export function checkEnabled(
  { isEnabled }: { isEnabled: () => boolean },
  request: { method: string; path: string },
): void {
  if (!isEnabled() && stopsWhenDisabled(request)) throw new CodedError('sandbox_disabled')
}

/** Throws 403 for a sandbox-scope key. */
export function requireFullKey({ apiKey }: Principal): void {
  if (apiKey?.scope === 'sandbox') throw refuse(uncoded.key_scope)
}
