import type { Route } from '@sandbox-jobs/contract/routes/route.ts'
import type { FastifyRequest } from 'fastify'
import { invalid } from '../../base/errors/validation-error.ts'

/** Routes that take raw bytes or files check the content type themselves, before they read the bytes. */
const mediaTypes: Partial<Record<NonNullable<Route['bodyKind']>, string>> = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
}

type BodyKind = Pick<Partial<Route>, 'bodyKind'>

/** Bodies that their routes read themselves: they take as long as their senders need and have their own limits. */
export const isStreamed = ({ bodyKind }: BodyKind): boolean =>
  bodyKind === 'octet-stream' || bodyKind === 'multipart'

/** Types that are received whole and parsed, whatever the route takes. */
const parsedTypes = /^\s*application\/(json|x-www-form-urlencoded)\b/i

/** Whether the route reads the body itself while it arrives. */
export const isStreamedBody = ({ headers, routeOptions }: FastifyRequest): boolean =>
  isStreamed(routeOptions.config as BodyKind) && !parsedTypes.test(headers['content-type'] ?? '')

/**
 * Throws the standard 422 array for a body of another type than the route declares. HTML forms are less strict than
 * JSON, and a page of any origin may send one without a preflight request. A request without a body may name any
 * type.
 */
export function requireMediaType(route: Route, request: FastifyRequest): void {
  const wanted = mediaTypes[route.bodyKind ?? 'json']
  if (!wanted || !(route.body ?? route.bodyKind) || request.body === undefined) return
  const sent = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase()
  if (sent !== wanted) throw invalid(['header', 'content-type'], 'content_type', `must be ${wanted}`)
}

/** A browser that goes to an address names HTML; a program that fetches it does not. */
export const wantsPage = ({ headers }: Pick<FastifyRequest, 'headers'>): boolean =>
  /\btext\/html\b/.test(headers.accept ?? '')
