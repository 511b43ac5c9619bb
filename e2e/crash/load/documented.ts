import { ApiError } from '@sandbox-jobs/contract/client/api-error.ts'
import { catalogue, type ErrorCode } from '@sandbox-jobs/contract/errors/catalogue.ts'
import { errorsOf } from '@sandbox-jobs/contract/routes/implied-errors.ts'
import type { Route } from '@sandbox-jobs/contract/routes/route.ts'

/** No response, or a truncated one: the API was killed at that moment. */
export const isConnectionLost = (error: unknown): boolean =>
  error instanceof TypeError ||
  error instanceof SyntaxError ||
  (error instanceof Error && error.name === 'AbortError')

/** The violation in a failed call of the route; undefined for a code that its route documents. */
export function faultOf(route: Route, error: unknown): string | undefined {
  if (isConnectionLost(error)) return undefined
  if (!(error instanceof ApiError)) return `not an answer: ${String(error)}`
  const { status, code } = error
  const known = code !== null && code in catalogue && code !== 'internal_error'
  if (known && errorsOf(route).includes(code as ErrorCode)) return undefined
  return `${route.method} ${route.path} answered ${status} ${code ?? JSON.stringify(error.detail)}`
}
