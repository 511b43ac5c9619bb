import { problemOf, type ValidationProblem } from '../../../base/errors/validation-error.ts'
import type { Problem } from './verdict.ts'

/** Messages of the rules that are not keywords of JSON Schema. */
const meanings: Record<string, string> = {
  too_costly: 'takes too much time or memory to check',
  schema_unusable: 'cannot be checked: the schema of the version is not usable',
  not_an_object: 'must be a JSON object',
  not_draft_2020_12: 'must be of JSON Schema draft 2020-12',
  vocabulary_forbidden: 'may not declare vocabularies',
  endless_reference: 'refers to itself without end',
  unresolvable_reference: 'refers to something outside the schema; references are not fetched',
  regular_expression: 'holds a pattern that is not a regular expression',
  unusable: 'cannot be used: a reference, an anchor or a keyword is not known',
  too_large: 'is too large',
  too_deep: 'is nested too deeply',
  too_many_nodes: 'holds too many values',
  bad_syntax: 'is not JSON',
  duplicate_key: 'names a key twice in one object',
  nul_character: 'holds a NUL character',
}

const unsuitable = 'does not match the schema'

const problem = (field: string, found: Problem, fallback: string): ValidationProblem =>
  problemOf(['body', field, ...found.at], {
    type: found.rule,
    words: found.words ?? meanings[found.rule] ?? fallback,
  })

/** The message for a problem of a tenant's schema. */
export const schemaProblem = (found: Problem): ValidationProblem =>
  problem('input_schema', found, `breaks the rule ${found.rule} of the meta-schema`)

export const exampleProblem = (found: Problem): ValidationProblem =>
  problem('input_example', found, unsuitable)

export const inputProblem = (found: Problem): ValidationProblem => problem('input', found, unsuitable)
