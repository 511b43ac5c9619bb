import type { Action } from '../access/action.ts'
import { actions, needsCredentials } from '../access/actions.ts'
import type { ErrorCode } from '../errors/catalogue.ts'
import type { UncodedError } from '../errors/uncoded.ts'
import type { Route } from './route.ts'

/**
 * Routes that work while the kill switch is on: cancel and download, as the contract says, and changes that need no
 * sandbox but are still needed then: logging in, and revoking keys and users.
 */
const stillAllowed = [
  /\/(cancel|download)$/,
  /^\/public\/auth\/(token|sign-in)$/,
  /\/sign-ins\/end$/,
  /\/me\/password$/,
  /^\/private\/platform\//,
]

/** True for routes that the kill switch stops: all other changes, on any path (contract part 1, global rule 3). */
export const stopsWhenDisabled = ({ method, path }: { method: string; path: string }): boolean =>
  !['GET', 'HEAD', 'OPTIONS'].includes(method) && !stillAllowed.some((allowed) => allowed.test(path))

/** True for routes that send or receive bytes of the object store. */
const movesBytes = ({ response, bodyKind }: Route): boolean =>
  response === undefined || bodyKind === 'octet-stream' || bodyKind === 'multipart'

/** Coded errors that follow from the kind of a route, in addition to those it declares. */
export function impliedErrors(route: Route): ErrorCode[] {
  const codes: ErrorCode[] = ['internal_error', 'database_unavailable']
  if (stopsWhenDisabled(route)) codes.push('sandbox_disabled')
  if (route.idempotent) codes.push('idempotency_conflict')
  if (route.idempotent === true) codes.push('idempotency_key_required')
  if (route.body || route.bodyKind) codes.push('invalid_content_length', 'request_too_large')
  if (movesBytes(route)) codes.push('storage_unavailable')
  if (actions[route.action].key === 404) codes.push('not_found')
  return codes
}

/** Every coded error that the route can return, each once. */
export const errorsOf = (route: Route): ErrorCode[] => [
  ...new Set([...route.errors, ...impliedErrors(route)]),
]

/** Every plain-text error that the route can return, each once. */
export function plainErrorsOf(route: Route): UncodedError[] {
  const names: UncodedError[] = [...(route.plainErrors ?? [])]
  if (!needsCredentials(route.action)) return names
  const { key, roles, refusal }: Action = actions[route.action]
  names.push('no_credentials', 'key_origin')
  // An auditor gets 403 where nobody else is refused.
  if (!roles.includes('auditor') && (refusal === 'none' || refusal === 'omitted')) names.push('role_too_low')
  if (route.path.includes('{cid}')) names.push('key_chatroom')
  if (key === 403) names.push('key_scope')
  if (key === 405) names.push('method_not_allowed')
  return [...new Set(names)]
}
