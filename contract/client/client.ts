import type { BodyOf, ParamsOf, QueryOf, ResponseOf, Route } from '../routes/route.ts'
import { readApiError } from './api-error.ts'
import { type RequestParts, requestInit, type UploadBody, urlOf } from './request.ts'

export interface ClientOptions {
  /** Base URL of the service, such as `http://127.0.0.1:8080`; it may contain a path. */
  baseUrl: string
  /** Login token of a user. */
  token?: string
  /** API key; used instead of a token. */
  apiKey?: string
  fetch?: typeof fetch
}

type Params<R extends Route> = ParamsOf<R> extends undefined ? unknown : { params: ParamsOf<R> }
type Query<R extends Route> = QueryOf<R> extends undefined ? unknown : { query?: QueryOf<R> }
type Body<R extends Route> =
  BodyOf<R> extends undefined
    ? unknown
    : R extends { bodyOptional: true }
      ? { body?: BodyOf<R> }
      : { body: BodyOf<R>; bodyText?: string }
type Upload<R extends Route> = R extends { bodyKind: 'octet-stream' } ? { upload: UploadBody } : unknown
type Key<R extends Route> = R extends { idempotent: true }
  ? { idempotencyKey: string }
  : R extends { idempotent: 'optional' }
    ? { idempotencyKey?: string }
    : unknown

/** The parts of a request that the route declares. */
export type GivenParts<R extends Route> = Params<R> & Query<R> & Body<R> & Upload<R>

/** Options of a call of that route. */
export type CallOptions<R extends Route> = GivenParts<R> &
  Key<R> & { headers?: Record<string, string>; signal?: AbortSignal }

type OptionsArgument<R extends Route> =
  Record<never, never> extends CallOptions<R> ? [options?: CallOptions<R>] : [options: CallOptions<R>]

/** JSON of the route's response, or the open response of a route that answers raw bytes. */
export type CallResult<R extends Route> = ResponseOf<R> extends undefined ? Response : ResponseOf<R>

export interface Client {
  /** Throws `ApiError` for an error response, and the error of `fetch` if the service is unreachable. */
  call<const R extends Route>(route: R, ...options: OptionsArgument<R>): Promise<CallResult<R>>
}

/** A client derived from the route table. It needs only `fetch`, so it also runs in browsers. */
export function createClient(options: ClientOptions): Client {
  const send = options.fetch ?? fetch
  const credentials = credentialHeaders(options)
  return {
    async call<const R extends Route>(route: R, ...[given]: OptionsArgument<R>) {
      const parts = (given ?? {}) as RequestParts
      const response = await send(
        urlOf(options.baseUrl, route, parts),
        requestInit(route, parts, credentials),
      )
      if (!response.ok) throw await readApiError(response)
      return (route.response ? await response.json() : response) as CallResult<R>
    },
  }
}

function credentialHeaders(options: ClientOptions): Record<string, string> {
  if (options.apiKey !== undefined) return { 'x-api-key': options.apiKey }
  if (options.token !== undefined) return { authorization: `Bearer ${options.token}` }
  return {}
}
