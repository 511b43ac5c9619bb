import { problemOf, type ValidationProblem } from '../../../base/errors/validation-error.ts'
import { jsonRefusals } from '../../../base/json/strict-json.ts'
import { keywordForm } from './keyword-forms.ts'
import type { Problem } from './verdict.ts'

/** Messages of the rules that are not keywords of JSON Schema. */
const meanings: Record<string, string> = {
  ...jsonRefusals,
  too_costly: 'takes too much time or memory to check',
  schema_unusable: 'cannot be checked: the schema of the version is not usable',
  not_an_object: 'must be a JSON object',
  not_draft_2020_12:
    'must be https://json-schema.org/draft/2020-12/schema: delete it or write that; sandbox deploy does so for a schema of draft-07 that means the same',
  vocabulary_forbidden: 'may not declare vocabularies',
  endless_reference: 'refers to itself without end',
  unresolvable_reference: 'refers to something outside the schema; references are not fetched',
  regular_expression: 'holds a pattern that is not a regular expression',
  unusable: 'cannot be used: a reference, an anchor or a keyword is not known',
}

const unsuitable = 'does not match the schema'

const problem = (field: string, found: Problem, fallback: string): ValidationProblem =>
  problemOf(['body', field, ...found.at], {
    type: found.rule,
    words: found.words ?? meanings[found.rule] ?? fallback,
  })

/** The message for a problem of a tenant's schema: at a keyword, what the keyword must hold. */
export const schemaProblem = (found: Problem): ValidationProblem => {
  if (found.rule === 'number_not_exact') return problem('input_schema', { ...found, words: notExact }, '')
  return problem('input_schema', found, keywordForm(found.at))
}

const notExact =
  'has more digits than a number of JSON can hold: leave the bound out, or use at most 9007199254740991'

export const exampleProblem = (found: Problem): ValidationProblem =>
  problem('input_example', found, unsuitable)

export const inputProblem = (found: Problem): ValidationProblem => problem('input', found, unsuitable)
