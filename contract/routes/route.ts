import type { Static, TSchema } from 'typebox'
import type { ErrorCode } from '../errors/catalogue.ts'
import type { UncodedError } from '../errors/uncoded.ts'

/**
 * Who may call a route. `tenant` asks for a JWT or an API key (418 without), `platform` for the same of a company
 * administrator, `token` for a secret in the path.
 */
export type RouteAccess = 'public' | 'token' | 'tenant' | 'platform'

/**
 * What a sandbox-scope key gets on a route, once its rooms are checked
 * (contract part 1, "Restricted API keys"). `own` allows the call on the key's own runs only.
 */
export type RestrictedKeyRule = 'allowed' | 'own' | 403 | 404 | 405

/** One route of the wire contract: validation, types, the OpenAPI document and the client are made from it. */
export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path below the base URL, parameters as `{name}`; a chatroom is always `{cid}`, which key scopes rely on. */
  path: string
  summary: string
  tag: string
  access: RouteAccess
  restrictedKey: RestrictedKeyRule
  params?: TSchema
  query?: TSchema
  /** JSON body; `bodyKind` says what else a body may be. */
  body?: TSchema
  bodyKind?: 'json' | 'octet-stream' | 'multipart' | 'form'
  /** Most bytes of a JSON body; over it 413 `request_too_large`, told by `Content-Length` before the body is read. */
  maxBodyBytes?: number
  /** Fields of the body in which a NUL character is refused by the route itself, with a code. */
  nulFields?: readonly string[]
  /** True when the body may be left out altogether. */
  bodyOptional?: boolean
  /** The route takes the `Idempotency-Key` header and answers a repeated key with the first answer. */
  idempotent?: boolean
  /** Answer of success. Absent: raw bytes. */
  response?: TSchema
  status?: 200 | 201
  /** Coded errors a caller must be ready for, beside those every route of its kind has. */
  errors: readonly ErrorCode[]
  /** Answers of plain text that the route itself gives, beside those of the layers before it. */
  plainErrors?: readonly UncodedError[]
}

type StaticOf<R, K extends keyof Route> = R extends { [P in K]: infer S extends TSchema }
  ? Static<S>
  : undefined

export type ParamsOf<R extends Route> = StaticOf<R, 'params'>
export type QueryOf<R extends Route> = StaticOf<R, 'query'>
export type BodyOf<R extends Route> = StaticOf<R, 'body'>
export type ResponseOf<R extends Route> = StaticOf<R, 'response'>

/** Keeps a route's literal types while checking its shape. */
export const route = <const R extends Route>(declaration: R): R => declaration
