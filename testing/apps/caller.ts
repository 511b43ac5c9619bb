import type { Readable } from 'node:stream'
import type { Route } from '@sandbox-jobs/contract/routes/route.ts'
import type { Principal } from '../../server/access/principal.ts'
import type { Answer, BodyOfAnswer } from './answer.ts'
import type { SentFile } from './multipart.ts'

export interface CallOptions {
  params?: Record<string, string>
  query?: Record<string, string | string[]>
  headers?: Record<string, string>
  /** Sent as JSON. */
  body?: unknown
  /** Sent as a multipart body. */
  file?: SentFile
  /** Sent unchanged; as JSON unless `headers` say otherwise. */
  payload?: string | Buffer | Readable
}

/** Calls routes as a principal that the test names. */
export interface Caller {
  call<R extends Route>(
    route: R,
    principal: Principal | null,
    options?: CallOptions,
  ): Promise<Answer<BodyOfAnswer<R>>>
  call<Body>(route: Route, principal: Principal | null, options?: CallOptions): Promise<Answer<Body>>
  must<R extends Route>(route: R, principal: Principal, options?: CallOptions): Promise<BodyOfAnswer<R>>
  must<Body>(route: Route, principal: Principal, options?: CallOptions): Promise<Body>
}
