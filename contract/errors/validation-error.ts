import { type Static, Type } from 'typebox'

/**
 * One invalid location of a request. `loc` starts with `body`, `query`, `path` or `header`; the value is never
 * repeated.
 */
export const ValidationItem = Type.Object({
  type: Type.String(),
  loc: Type.Array(Type.Union([Type.String(), Type.Integer()])),
  msg: Type.String(),
})
export type ValidationItem = Static<typeof ValidationItem>

/** Body of a 422 validation error (contract part 3, D5). */
export const ValidationError = Type.Object({ detail: Type.Array(ValidationItem) })
export type ValidationError = Static<typeof ValidationError>

/** Body of a coded error; some codes add fields to `detail`. */
export const CodedErrorBody = Type.Object({
  detail: Type.Object({ code: Type.String(), message: Type.String() }, { additionalProperties: true }),
})
export type CodedErrorBody = Static<typeof CodedErrorBody>
