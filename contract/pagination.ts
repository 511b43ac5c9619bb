import { type TSchema, Type } from 'typebox'
import { about } from './about.ts'
import { pageSizeMax, pageTokenMaxLength } from './limits.ts'
import { Nullable, OneOf } from './schema.ts'

export const lifecycles = ['active', 'retired', 'all'] as const
export type Lifecycle = (typeof lifecycles)[number]

/** `page_size` and `page_token`; a token that cannot be read starts again at the first page. */
export const pageFields = (defaultPageSize: number) => ({
  page_size: about(
    'Items on a page, at most 100.',
    Type.Optional(Type.Integer({ minimum: 1, maximum: pageSizeMax, default: defaultPageSize })),
    20,
  ),
  page_token: about(
    'The `next_page_token` of the previous page; one that cannot be read starts again.',
    Type.Optional(Type.String({ maxLength: pageTokenMaxLength })),
    'eyJhZnRlciI6InJ1bl8wMTlhIn0',
  ),
})

export const lifecycleField = (defaultLifecycle: Lifecycle) => ({
  lifecycle: about(
    'Which items: `active`, `retired` (archived, revoked, deleted), or `all`.',
    Type.Optional(Type.Enum(lifecycles, { type: 'string', default: defaultLifecycle })),
    'active',
  ),
})

/** Query of a list (contract part 1, "Pagination"). */
export const listQuery = (defaultPageSize: number, defaultLifecycle: Lifecycle = 'active') =>
  Type.Object({ ...pageFields(defaultPageSize), ...lifecycleField(defaultLifecycle) })

export const orders = ['asc', 'desc'] as const
export type Order = (typeof orders)[number]

/** `offset`, `limit` and `order` of the lists that answer a plain array. */
export const offsetFields = (defaultLimit: number, defaultOrder: Order) => ({
  offset: about(
    'Items to leave out at the start.',
    Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0 })),
    0,
  ),
  limit: about(
    'Items to return, at most 100.',
    Type.Optional(Type.Integer({ minimum: 1, maximum: pageSizeMax, default: defaultLimit })),
    10,
  ),
  order: about(
    'By time, or by name: ascending or descending.',
    Type.Optional(Type.Enum(orders, { type: 'string', default: defaultOrder })),
  ),
})

/** A repeatable query parameter: `?status=queued&status=running`. */
export const repeatable = <const V extends string[]>(values: readonly [...V]) =>
  Type.Optional(Type.Array(OneOf(values), { maxItems: values.length }))

/** Answer of a list. A null `next_page_token` marks the last page. */
export const listOf = <S extends TSchema>(item: S) =>
  Type.Object({
    items: about('Items on this page.', Type.Array(item)),
    page_size: about('Items that a page may have.', Type.Integer({ minimum: 1, maximum: pageSizeMax }), 20),
    next_page_token: about(
      'Token of the next page; null on the last.',
      Nullable(Type.String({ maxLength: pageTokenMaxLength })),
      null,
    ),
  })
