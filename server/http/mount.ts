import type { BodyOf, ParamsOf, QueryOf, ResponseOf, Route } from '@sandbox-jobs/contract/routes/route.ts'
import { Strict } from '@sandbox-jobs/contract/schema.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { CodedError } from '../base/coded-error.ts'
import { Rendered } from '../base/rendered.ts'
import type { FindKey } from '../platform/authentication.ts'
import type { Principal } from '../platform/principal.ts'
import { readIdempotencyKey } from './idempotency-key.ts'
import { requireMediaType } from './media-type.ts'
import type { RequestTurns } from './request-turns.ts'
import { checkEnabled, checkKeyScope } from './scopes.ts'
import { type TakeTurn, turnOf } from './take-turn.ts'
import { checkOf, isValid } from './validation.ts'

/** One call of a route, checked against its declaration. */
export interface Call<R extends Route, Begun = unknown> {
  params: ParamsOf<R>
  query: QueryOf<R>
  body: BodyOf<R>
  /** Who calls; on public routes there is nobody. */
  principal: R['access'] extends 'public' | 'token' ? null : Principal
  idempotencyKey: R['idempotent'] extends true ? string : undefined
  /** What the route's `Begin` gave; undefined where the path is malformed, so that nothing was begun. */
  begun: Begun | undefined
  request: FastifyRequest
  reply: FastifyReply
}

export type Handler<R extends Route, Begun = unknown> = (
  call: Call<R, Begun>,
) => Promise<ResponseOf<R> extends undefined ? FastifyReply : ResponseOf<R> | Rendered<ResponseOf<R>>>

export type Authenticate = (headers: FastifyRequest['headers'], findKey?: FindKey) => Promise<Principal>

/** Looks up more than who calls in the statement that finds them: what came of it is for the handler. */
export type Begin<R extends Route, Begun extends { findKey: FindKey }> = (params: ParamsOf<R>) => Begun

export interface MountOptions {
  authenticate: Authenticate
  enabled: boolean
  /** Whether the disk has room for something new; without it, always. */
  hasSpace?: () => Promise<boolean>
  /** Divides the event loop among companies; without it, nothing waits. */
  turns?: RequestTurns
}

/** The name under which a request keeps what its first hook found, for the handler. */
export const foundDecorator = 'found'

/** What is read of a route before its body is. */
export interface BodyConfig {
  nulFields: Route['nulFields'] | undefined
  bodyKind: Route['bodyKind'] | undefined
}

/** Bodies that their routes read themselves: they take as long as their senders, and have bounds of their own. */
export const isStreamed = ({ bodyKind }: Partial<BodyConfig>): boolean =>
  bodyKind === 'octet-stream' || bodyKind === 'multipart'

interface Found {
  principal: Principal
  begun: unknown
  takeTurn: TakeTurn
}

/** Resolves when the company of the request has a turn for it. */
export const takeTurn = (request: FastifyRequest, bodyBytes: number): Promise<void> | undefined =>
  request.getDecorator<Found | null>(foundDecorator)?.takeTurn(bodyBytes)

export type Mount = <const R extends Route, Begun extends { findKey: FindKey } = never>(
  route: R,
  handler: Handler<R, Begun>,
  begin?: Begin<R, Begun>,
) => void

export const fastifyPath = (path: string) => path.replaceAll(/\{(\w+)\}/g, ':$1')

/**
 * Binds routes of the contract to handlers. The order of the checks is the contract's: credentials, key scope
 * and rooms, kill switch, room on the disk, all before the body is read; then path, query, idempotency key and body.
 */
export function mounter(app: FastifyInstance, options: MountOptions): Mount {
  return (route, handler, begin) => {
    const checks = {
      params: route.params && checkOf('path', route.params),
      query: route.query && checkOf('query', route.query),
      body: route.body && checkOf('body', route.body),
    }
    const takesSpace = options.hasSpace !== undefined && route.errors.includes('disk_space_low')
    app.route({
      method: route.method,
      url: fastifyPath(route.path),
      bodyLimit: route.maxBodyBytes ?? defaultBodyBytes,
      config: { nulFields: route.nulFields, bodyKind: route.bodyKind } satisfies BodyConfig,
      onRequest: async (request, reply) => {
        if (route.access !== 'public' && route.access !== 'token') {
          const { params, headers } = request
          const mayBegin = begin && checks.params && isValid(checks.params, params)
          const begun = mayBegin ? begin(params as Parameters<typeof begin>[0]) : undefined
          const principal = await options.authenticate(headers, begun?.findKey)
          const takeTurn = turnOf(options.turns, principal.companyId, reply)
          request.setDecorator<Found>(foundDecorator, { principal, begun, takeTurn })
          checkKeyScope(route, principal, chatroomOf(request))
        }
        checkEnabled(options.enabled, { method: route.method, path: route.path })
        if (takesSpace && !(await options.hasSpace?.())) throw new CodedError('disk_space_low')
      },
      handler: async (request, reply) => {
        const found = request.getDecorator<Found | null>(foundDecorator)
        if (!isStreamed(route)) await found?.takeTurn(0)
        // A path that something was begun with is well-formed.
        if (!found?.begun) checks.params?.(request.params)
        checks.query?.(request.query)
        const idempotencyKey = route.idempotent ? readIdempotencyKey(request.headers) : undefined
        requireMediaType(route, request)
        if (!route.body && !route.bodyKind && request.body != null) noFields(request.body)
        const body = request.body ?? (route.bodyOptional ? {} : request.body)
        if (route.bodyKind === undefined || route.bodyKind === 'json') checks.body?.(body)
        const { params, query } = request
        const call = { params, query, body, principal: null, ...found, idempotencyKey, request, reply }
        const answer = await handler(call as unknown as Parameters<typeof handler>[0])
        if (!(answer instanceof Rendered)) return answer
        reply.type('application/json; charset=utf-8')
        return answer.text
      },
    })
  }
}

/** A route that takes no body takes an empty one, as clients send it by habit. */
const noFields = checkOf('body', Strict({}))

/** Bodies of ordinary routes; routes that take scripts or inputs declare their own bound. */
const defaultBodyBytes = 256 * 1024

export const chatroomOf = (request: FastifyRequest): string | undefined =>
  (request.params as { cid?: string }).cid
