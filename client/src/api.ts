import type { CallResult, GivenParts } from '../../contract/client/client.ts'
import type { allRoutes } from '../../contract/routes/index.ts'
import type { EventOf, QueryOf, ResponseOf, Route } from '../../contract/routes/route.ts'
import type { CallOptions } from './call-options.ts'

/* Types of the API. The package has them written out, with their descriptions (`client/packing/api-types.ts`). */

export type { EnvironmentVersion } from '../../contract/resources/environments/environment-version.ts'
export type { RunDetail } from '../../contract/resources/runs/run.ts'

type Routes = typeof allRoutes

type Options<R extends Route> = GivenParts<R> &
  (R extends { bodyKind: 'multipart' } ? { file: Blob } : unknown) &
  (R extends { idempotent: true | 'optional' } ? { idempotencyKey?: string } : unknown) &
  CallOptions

type Method<R extends Route> =
  Record<never, never> extends Options<R>
    ? (options?: Options<R>) => Promise<CallResult<R>>
    : (options: Options<R>) => Promise<CallResult<R>>

/** Every operation of the API. */
export type Operations = { [Name in keyof Routes]: Method<Routes[Name]> }

type ItemOf<R extends Route> =
  QueryOf<R> extends { page_token?: unknown }
    ? ResponseOf<R> extends { items: (infer Item)[] }
      ? Item
      : undefined
    : ResponseOf<R> extends (infer Item)[]
      ? Item
      : undefined

type Known<Named> = { [Name in keyof Named as [Named[Name]] extends [undefined] ? never : Name]: Named[Name] }

/** The type of an item, by the operation that lists it. */
export type Lists = Known<{ [Name in keyof Routes]: ItemOf<Routes[Name]> }>

/** The type of an event, by the operation that streams it. */
export type Streams = Known<{ [Name in keyof Routes]: EventOf<Routes[Name]> }>
