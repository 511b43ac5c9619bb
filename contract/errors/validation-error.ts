import { type Static, Type } from 'typebox'
import { about } from '../about.ts'

/**
 * One invalid location of a request. `loc` starts with `body`, `query`, `path` or `header`; the value is never
 * repeated.
 */
export const ValidationItem = Type.Object({
  type: about('Kind of the problem.', Type.String(), 'missing'),
  loc: about(
    'Path of the value, from `body`, `query`, `path` or `header`.',
    Type.Array(Type.Union([Type.String(), Type.Integer()])),
    ['body', 'name'],
  ),
  msg: about('The problem, for people. It never repeats the value.', Type.String(), 'name: is required'),
})
export type ValidationItem = Static<typeof ValidationItem>

/** Body of a 422 validation error (contract part 3, D5). */
export const ValidationError = Type.Object({
  detail: about('Every problem that was found.', Type.Array(ValidationItem)),
})
export type ValidationError = Static<typeof ValidationError>

/** Body of a coded error; some codes add fields to `detail`. */
export const CodedErrorBody = Type.Object({
  detail: about(
    'The error; some codes add fields.',
    Type.Object(
      {
        code: about('Stable code of the error.', Type.String(), 'not_found'),
        message: about('The error, for people.', Type.String(), 'There is nothing here by that name.'),
      },
      { additionalProperties: true },
    ),
  ),
})
export type CodedErrorBody = Static<typeof CodedErrorBody>
