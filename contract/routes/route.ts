import type { Static, TObject, TSchema } from 'typebox'
import type { ActionName } from '../access/actions.ts'
import type { ErrorCode } from '../errors/catalogue.ts'
import type { UncodedError } from '../errors/uncoded.ts'

/** One route of the wire contract. Validation, types, the OpenAPI document and the client are derived from it. */
export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /**
   * Path below the base URL, with parameters as `{name}`. A chatroom is always `{cid}`; the check of key scopes
   * relies on that.
   */
  path: string
  /** A few words, the first an active verb. */
  summary: string
  /** Facts that the summary does not say: effects, limits, what to call next. The check of docs/openapi.json requires it. */
  description?: string
  tag: string
  /** The action of the route. `contract/access` defines who may perform it, and the response for other callers. */
  action: ActionName
  params?: TSchema
  query?: TSchema
  /** JSON body; `bodyKind` defines which other bodies are accepted. */
  body?: TSchema
  bodyKind?: 'json' | 'octet-stream' | 'multipart' | 'form'
  /** Maximum bytes of a JSON body. A larger `Content-Length` gets 413 `request_too_large` before the body is read. */
  maxBodyBytes?: number
  /** Fields of the body in which the route itself refuses a NUL character, with a code. */
  nulFields?: readonly string[]
  /** True if the body may be omitted. */
  bodyOptional?: boolean
  /** The route needs an `Idempotency-Key`, or takes one if it is sent, and returns the first response for a repeated key. */
  idempotent?: true | 'optional'
  /** Success response. Absent: raw bytes. */
  response?: TSchema
  /** Media type of the raw bytes, if it is constant. */
  mediaType?: string
  /** JSON of the `data` line of each event, if the route answers with an event stream. */
  events?: TSchema
  /** The route accepts a `Range` header and then returns 206 with `Content-Range`. */
  ranges?: boolean
  /** Further request headers that the route reads, as an object by their names. */
  requestHeaders?: TObject
  status?: 200 | 201
  /** Coded errors of the route, in addition to those of every route of its kind. */
  errors: readonly ErrorCode[]
  /** Plain-text errors of the route itself, in addition to those of earlier layers. */
  plainErrors?: readonly UncodedError[]
}

export const eventStreamType = 'text/event-stream'

type StaticOf<R, K extends keyof Route> = R extends { [P in K]: infer S extends TSchema }
  ? Static<S>
  : undefined

export type ParamsOf<R extends Route> = StaticOf<R, 'params'>
export type QueryOf<R extends Route> = StaticOf<R, 'query'>
export type BodyOf<R extends Route> = StaticOf<R, 'body'>
export type ResponseOf<R extends Route> = StaticOf<R, 'response'>
export type EventOf<R extends Route> = StaticOf<R, 'events'>

/** Checks the shape of a route and keeps its literal types. */
export const route = <const R extends Route>(declaration: R): R => declaration
