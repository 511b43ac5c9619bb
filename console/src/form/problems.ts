import type { Problem } from '@sandbox-jobs/contract/input-schema/verdict.ts'
import type { Field } from './field.ts'
import { isPrefix } from './json.ts'

/** A problem at the field that shows it. `within` is the rest of its path, such as the row and column of a table. */
export interface FieldProblem {
  field: Field
  within: (string | number)[]
  words: string
}

/** Each problem at the innermost field that has its value. */
export function problemsByField(fields: readonly Field[], problems: readonly Problem[]): FieldProblem[] {
  return problems.flatMap(({ at, words, rule }) => {
    const field = fields.findLast(({ path }) => path.length <= at.length && isPrefix(path, at))
    return field ? [{ field, within: at.slice(field.path.length), words: words ?? rule }] : []
  })
}
