import { ApiError } from '@sandbox-jobs/contract/client/api-error.ts'
import { catalogue, type ErrorCode } from '@sandbox-jobs/contract/errors/catalogue.ts'
import { errorsOf } from '@sandbox-jobs/contract/routes/implied-errors.ts'
import type { Route } from '@sandbox-jobs/contract/routes/route.ts'

/** Nobody answered, or an answer was cut: the API was killed at that moment. */
export const isCut = (error: unknown): boolean =>
  error instanceof TypeError ||
  error instanceof SyntaxError ||
  (error instanceof Error && error.name === 'AbortError')

/** What is wrong with a failed call of the route; undefined for a code that its route documents. */
export function faultOf(route: Route, error: unknown): string | undefined {
  if (isCut(error)) return undefined
  if (!(error instanceof ApiError)) return `not an answer: ${String(error)}`
  const { status, code } = error
  const known = code !== null && code in catalogue && code !== 'internal_error'
  if (known && errorsOf(route).includes(code as ErrorCode)) return undefined
  return `${route.method} ${route.path} answered ${status} ${code ?? JSON.stringify(error.detail)}`
}
