import { needsCredentials, type OpenAction } from '@sandbox-jobs/contract/access/actions.ts'
import type { BodyOf, ParamsOf, QueryOf, ResponseOf, Route } from '@sandbox-jobs/contract/routes/route.ts'
import { Strict } from '@sandbox-jobs/contract/schema.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { FindKey } from '../access/authentication/authentication.ts'
import type { Presented } from '../access/authentication/browser-sign-in.ts'
import type { Principal } from '../access/principal.ts'
import { inRequest } from '../base/current-request.ts'
import { CodedError } from '../base/errors/coded-error.ts'
import { Rendered } from '../base/rendered.ts'
import type { RequestScheduler } from '../fairness/request-scheduler.ts'
import {
  type AuthenticatedCall,
  actingOf,
  auditActionOf,
  callerDecorator,
  keepCall,
  keepCaller,
  type ReadCaller,
  refreshCaller,
  takeTurn,
} from './caller.ts'
import { findIdempotencyKey, readIdempotencyKey } from './requests/idempotency-key.ts'
import { isStreamed, requireMediaType } from './requests/media-type.ts'
import { isValid, validatorOf } from './requests/validation.ts'
import { checkAuditor, checkEnabled, checkKeyScope } from './scopes.ts'

/** One call of a route, validated against its declaration. */
export interface Call<R extends Route, Prefetched = unknown> {
  params: ParamsOf<R>
  query: QueryOf<R>
  body: BodyOf<R>
  /** The caller; null on routes that need no credentials. */
  principal: R['action'] extends OpenAction ? null : Principal
  idempotencyKey: R['idempotent'] extends true
    ? string
    : R['idempotent'] extends 'optional'
      ? string | undefined
      : undefined
  /** The value that the route's `Prefetch` returned; undefined if the path is malformed, so nothing was prefetched. */
  prefetched: Prefetched | undefined
  request: FastifyRequest
  reply: FastifyReply
}

export type Handler<R extends Route, Prefetched = unknown> = (
  call: Call<R, Prefetched>,
) => Promise<ResponseOf<R> extends undefined ? FastifyReply : ResponseOf<R> | Rendered<ResponseOf<R>>>

export type Authenticate = (request: Presented, findKey?: FindKey) => Promise<Principal>

/** Looks up more data in the same statement that finds the caller. The handler receives the result. */
export type Prefetch<R extends Route, Prefetched extends { findKey: FindKey }> = (
  params: ParamsOf<R>,
) => Prefetched

export interface MountOptions {
  authenticate: Authenticate
  /** Whether the service takes changes: false while the kill switch is on. */
  isEnabled: () => boolean
  /** Whether the disk has space for new content; absent: always. */
  hasSpace?: () => Promise<boolean>
  /** Divides the event loop among companies; absent: nothing waits. */
  scheduler?: RequestScheduler | undefined
  /** Facts that are known of a caller for longer are read again before the handler. */
  callerMaxAgeMs?: number
}

/** Throws `disk_space_low` for a request that stores something new. */
export async function requireSpace({
  hasSpace,
}: {
  hasSpace?: MountOptions['hasSpace'] | undefined
}): Promise<void> {
  if (hasSpace && !(await hasSpace())) throw new CodedError('disk_space_low')
}

/** The parts of a route that hooks read before the body is parsed. */
export interface BodyConfig {
  nulFields: Route['nulFields'] | undefined
  bodyKind: Route['bodyKind'] | undefined
  /** Large bodies are parsed in another thread, and the request is refused while too many wait. */
  parsedApart: boolean
  /** The `input` of the body is stored in its canonical form. */
  storesInput?: boolean
  /** The keys below which a body has its `input`; absent: it has it itself. */
  inputWithin?: readonly string[]
}

/**
 * Looks up a credential that is not of a person, before the body is read: the company that it belongs to has a turn for the request,
 * as for those of its people.
 */
export type Admit<R extends Route, Admitted extends { company_id: string }> = (
  params: ParamsOf<R>,
  request: FastifyRequest,
) => Promise<Admitted>

type MountRoute = <const R extends Route, Prefetched extends { findKey: FindKey } = never>(
  route: R,
  handler: Handler<R, Prefetched>,
  prefetch?: Prefetch<R, Prefetched>,
) => void

/** For a route that takes a credential of its own. */
type MountAdmitted = <const R extends Route, Admitted extends { company_id: string }>(
  route: R,
  admit: Admit<R, Admitted>,
  handler: (call: Call<R>, admitted: Admitted) => Promise<ResponseOf<R>>,
) => void

export type Mount = MountRoute & { admitted: MountAdmitted }

export const fastifyPath = (path: string) => path.replaceAll(/\{(\w+)\}/g, ':$1')

/**
 * Binds routes of the contract to handlers. The contract fixes the order of the checks: credentials, key scope and
 * rooms, kill switch and disk space before the body is read; then path, query, idempotency key and body.
 */
export function mounter(app: FastifyInstance, options: MountOptions): Mount {
  const mount = (
    route: Route,
    handler: (call: never, admitted: never) => Promise<unknown>,
    { prefetch, admit }: { prefetch?: AnyPrefetch | undefined; admit?: AnyAdmit },
  ) => {
    const checks = {
      params: route.params && validatorOf('path', route.params),
      query: route.query && validatorOf('query', route.query),
      body: route.body && validatorOf('body', route.body),
    }
    const auditAction = auditActionOf(route)
    const takesSpace = route.errors.includes('disk_space_low')
    const { scheduler } = options
    app.route({
      method: route.method,
      url: fastifyPath(route.path),
      bodyLimit: route.maxBodyBytes ?? defaultBodyBytes,
      config: {
        nulFields: route.nulFields,
        bodyKind: route.bodyKind,
        parsedApart: route.errors.includes('input_staging_unavailable'),
        storesInput: route.errors.includes('input_not_stageable'),
      } satisfies BodyConfig,
      onRequest: async (request, reply) => {
        if (needsCredentials(route.action)) {
          const { params } = request
          const mayPrefetch = prefetch && checks.params && isValid(checks.params, params)
          const prefetched = mayPrefetch ? prefetch(params as never) : undefined
          const principal = await options.authenticate(presentedTo(route, request), prefetched?.findKey)
          const readAgain = callerReader(options, route, request)
          keepCaller(request, reply, { principal, prefetched, readAgain, scheduler })
          checkKeyScope(route, principal, chatroomOf(request))
        }
        checkEnabled(options, { method: route.method, path: route.path })
        if (takesSpace) await requireSpace(options)
        if (admit) {
          checks.params?.(request.params)
          const prefetched = await admit(request.params as never, request)
          const companyId = prefetched.company_id
          keepCall(request, reply, {
            principal: null,
            companyId,
            prefetched,
            readAgain: undefined,
            scheduler,
          })
        }
      },
      handler: async (request, reply) => {
        if (!isStreamed(route)) await takeTurn(request, 0)
        await refreshCaller(request, options.callerMaxAgeMs)
        const authenticated = request.getDecorator<AuthenticatedCall | null>(callerDecorator)
        // Prefetching validated the path already.
        if (!authenticated?.prefetched) checks.params?.(request.params)
        checks.query?.(request.query)
        const idempotencyKey = idempotencyKeyOf(route, request)
        requireMediaType(route, request)
        if (!route.body && !route.bodyKind && request.body != null) checkEmptyBody(request.body)
        const body = request.body ?? (route.bodyOptional ? {} : request.body)
        if (route.bodyKind === undefined || route.bodyKind === 'json') checks.body?.(body)
        if (authenticated?.principal) checkAuditor(route, authenticated.principal)
        const { params, query } = request
        const call = {
          params,
          query,
          body,
          principal: null,
          ...authenticated,
          idempotencyKey,
          request,
          reply,
        }
        const acting =
          auditAction === undefined
            ? undefined
            : actingOf(auditAction, authenticated?.principal ?? null, chatroomOf(request))
        const work = () => handler(call as never, authenticated?.prefetched as never)
        const answer = await inRequest(request.id, work, acting)
        if (!(answer instanceof Rendered)) return answer
        reply.type('application/json; charset=utf-8')
        return answer.text
      },
    })
  }
  const mountRoute: MountRoute = (route, handler, prefetch) => mount(route, handler, { prefetch })
  const admitted: MountAdmitted = (route, admit, handler) => mount(route, handler, { admit })
  return Object.assign(mountRoute, { admitted })
}

function idempotencyKeyOf({ idempotent }: Route, { headers }: FastifyRequest): string | undefined {
  if (idempotent === true) return readIdempotencyKey(headers)
  return idempotent === 'optional' ? findIdempotencyKey(headers) : undefined
}

/** Authenticates a request once more, without what a first time prefetches. */
const presentedTo = (route: Route, { method, headers }: FastifyRequest): Presented => ({
  method,
  headers,
  isFollowing: route.events !== undefined,
})

const callerReader =
  ({ authenticate }: MountOptions, route: Route, request: FastifyRequest): ReadCaller =>
  async () => {
    const principal = await authenticate(presentedTo(route, request))
    checkKeyScope(route, principal, chatroomOf(request))
    return { principal, prefetched: undefined }
  }

type AnyPrefetch = (params: never) => { findKey: FindKey }
type AnyAdmit = (params: never, request: FastifyRequest) => Promise<{ company_id: string }>

/** A route without a body accepts an empty object, because clients send it by habit. */
const checkEmptyBody = validatorOf('body', Strict({}))

/** Limit for ordinary routes. Routes that take scripts or inputs declare their own. */
const defaultBodyBytes = 256 * 1024

export const chatroomOf = (request: FastifyRequest): string | undefined =>
  (request.params as { cid?: string }).cid
