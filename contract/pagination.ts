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
