import { type TSchema, Type } from 'typebox'
import { pageSizeMax, pageTokenMaxLength } from './limits.ts'
import { Nullable, OneOf } from './schema.ts'

export const lifecycles = ['active', 'retired', 'all'] as const
export type Lifecycle = (typeof lifecycles)[number]

/** `page_size` and `page_token`; a token that cannot be read starts again at the first page. */
export const pageFields = (defaultPageSize: number) => ({
  page_size: Type.Optional(Type.Integer({ minimum: 1, maximum: pageSizeMax, default: defaultPageSize })),
  page_token: Type.Optional(Type.String({ maxLength: pageTokenMaxLength })),
})

export const lifecycleField = (defaultLifecycle: Lifecycle) => ({
  lifecycle: Type.Optional(Type.Enum(lifecycles, { type: 'string', default: defaultLifecycle })),
})

/** Query of a list (contract part 1, "Pagination"). */
export const listQuery = (defaultPageSize: number, defaultLifecycle: Lifecycle = 'active') =>
  Type.Object({ ...pageFields(defaultPageSize), ...lifecycleField(defaultLifecycle) })

export const orders = ['asc', 'desc'] as const
export type Order = (typeof orders)[number]

/** `offset`, `limit` and `order` of the lists that answer a plain array. */
export const offsetFields = (defaultLimit: number, defaultOrder: Order) => ({
  offset: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0 })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: pageSizeMax, default: defaultLimit })),
  order: Type.Optional(Type.Enum(orders, { type: 'string', default: defaultOrder })),
})

/** A repeatable query parameter: `?status=queued&status=running`. */
export const repeatable = <const V extends string[]>(values: readonly [...V]) =>
  Type.Optional(Type.Array(OneOf(values), { maxItems: values.length }))

/** Answer of a list. A null `next_page_token` marks the last page. */
export const listOf = <S extends TSchema>(item: S) =>
  Type.Object({
    items: Type.Array(item),
    page_size: Type.Integer({ minimum: 1, maximum: pageSizeMax }),
    next_page_token: Nullable(Type.String({ maxLength: pageTokenMaxLength })),
  })
