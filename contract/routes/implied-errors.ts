import type { ErrorCode } from '../errors/catalogue.ts'
import type { UncodedError } from '../errors/uncoded.ts'
import type { Route } from './route.ts'

/**
 * Cancel and download go on, as the contract says, and so does what needs no sandbox and is needed to act at all while
 * it is switched off: to log in, and to revoke keys and people in the directory.
 */
const stillAllowed = [/\/(cancel|download)$/, /^\/public\/auth\/token$/, /^\/private\/platform\//]

/** True for what the kill switch stops: any other change, on whatever path (contract part 1, global rule 3). */
export const stopsWhenDisabled = ({ method, path }: { method: string; path: string }): boolean =>
  !['GET', 'HEAD', 'OPTIONS'].includes(method) && !stillAllowed.some((allowed) => allowed.test(path))

/** True for routes that send or take what lies in the object store. */
const movesBytes = ({ response, bodyKind }: Route): boolean =>
  response === undefined || bodyKind === 'octet-stream' || bodyKind === 'multipart'

/** Coded errors that follow from the kind of a route, beside those it declares. */
export function impliedErrors(route: Route): ErrorCode[] {
  const codes: ErrorCode[] = ['internal_error', 'database_unavailable']
  if (stopsWhenDisabled(route)) codes.push('sandbox_disabled')
  if (route.idempotent) codes.push('idempotency_key_required', 'idempotency_conflict')
  if (route.body || route.bodyKind) codes.push('invalid_content_length', 'request_too_large')
  if (movesBytes(route)) codes.push('storage_unavailable')
  if (route.restrictedKey === 404) codes.push('not_found')
  return codes
}

/** Everything coded that a caller of the route may meet, each once. */
export const errorsOf = (route: Route): ErrorCode[] => [
  ...new Set([...route.errors, ...impliedErrors(route)]),
]

/** Answers of plain text that a caller of the route may meet, each once. */
export function plainErrorsOf(route: Route): UncodedError[] {
  const names: UncodedError[] = [...(route.plainErrors ?? [])]
  if (route.access === 'public' || route.access === 'token') return names
  names.push('no_credentials', 'key_origin')
  if (route.path.includes('{cid}')) names.push('key_chatroom')
  if (route.restrictedKey === 403) names.push('key_scope')
  if (route.restrictedKey === 405) names.push('method_not_allowed')
  return names
}
