import { type Static, type TProperties, type TSchema, Type } from 'typebox'
import { withExample } from './about.ts'

/** An object that refuses unknown fields, as every request body of the contract does. */
export const Strict = <P extends TProperties>(properties: P) =>
  Type.Object(properties, { additionalProperties: false })

/** A response field that is always present and may be null (a `?` of the contract). */
export const Nullable = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()])

/** A request field that may be left out or sent as null; both mean the same. */
export const Omissible = <S extends TSchema>(schema: S) => Type.Optional(Nullable(schema))

/** One of a closed set of strings. */
export const OneOf = <const V extends string[]>(values: readonly [...V]) =>
  Type.Enum<V>(values, { type: 'string' })

/** An instant, RFC 3339 with an offset, UTC as sent by the server. */
export const DateTime = withExample(Type.String({ format: 'date-time' }), '2026-11-24T09:30:00.000Z')
export type DateTime = Static<typeof DateTime>

/** A count or a number of bytes. */
export const Count = Type.Integer({ minimum: 0 })

/** A generation or revision that starts at 1. */
export const Ordinal = Type.Integer({ minimum: 1 })

/** Text without NUL, which Postgres cannot store; `maxLength` counts characters. */
export const PlainText = (bounds: { minLength?: number; maxLength: number }) =>
  Type.String({ ...bounds, pattern: '^[^\\u0000]*$' })

/** Text that holds at least one character that is not white space, and no NUL. */
export const VisibleText = (bounds: { maxLength: number }) =>
  Type.String({ minLength: 1, ...bounds, pattern: '^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$' })
