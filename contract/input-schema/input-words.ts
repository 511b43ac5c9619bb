import { keywordWords, wordsOfTypes } from '../errors/keyword-words.ts'
import { nearNames } from '../near-names.ts'
import { visibleText } from '../visible-text.ts'
import { type Problem, problemsMax } from './verdict.ts'

/** A keyword of a schema that an input does not satisfy. */
export interface FailedKeyword {
  name: string
  /** Where the keyword is in the schema: keys and indexes from the root. */
  path: Problem['at']
  /** Where the refused value is in the input. */
  at: Problem['at']
}

const nameMaxLength = 64
/** Only so many fields of a schema are compared with an unknown name. */
const namesMax = 200
const valuesShown = 6
const wrongForm = 'is not of the form that this field has'

/**
 * The problems of one failed keyword, in words for people and models that follow the name of the field. Names and allowed
 * values of the schema are shown, bounded and with invisible characters spelled out; regular expressions and the values of
 * the input are not. Everything here is hostile: nothing is read by inheritance, and the work is bounded.
 *
 * `schema` is undefined where the path may belong to another part of the schema; the words are then general.
 */
export function problemsOfKeyword(failed: FailedKeyword, schema: unknown, input: unknown): Problem[] {
  const { name, path, at } = failed
  const expected = valueAt(schema, path)
  const problem = (words: string, where = at): Problem => ({ at: where, rule: name, words })
  const last = path.at(-1)
  if (last === 'additionalProperties' || last === 'unevaluatedProperties') {
    return [{ at, rule: last, words: unknownWords(at.at(-1), namesAt(schema, path)) }]
  }
  if (name === 'required' && Array.isArray(expected)) {
    const missing = missingNames(expected, valueAt(input, at))
    return missing.map((field) => problem('is missing', [...at, bounded(field)]))
  }
  return [problem(wordsOf(name, expected))]
}

function wordsOf(name: string, expected: unknown): string {
  if (name === 'enum') return allowedWords(expected)
  if (name === 'const') return `must be ${shown(expected)}`
  if (name === 'required') return 'lacks a required field'
  if (name === 'anyOf' || name === 'oneOf') return choiceWords(expected)
  if (name === 'type' && expected === undefined) return 'is of another type than this field has'
  if (name !== 'type' && name !== 'uniqueItems' && typeof expected !== 'number') return wrongForm
  return Object.hasOwn(keywordWords, name) ? (keywordWords[name]?.(expected) ?? wrongForm) : wrongForm
}

/** The types of the branches if each has one, since branches are mostly a value or null. */
function choiceWords(branches: unknown): string {
  const types = Array.isArray(branches) ? branches.slice(0, valuesShown + 1).map(onlyType) : []
  const isSimple = types.length <= valuesShown && types.every((type) => type !== undefined)
  return isSimple && types.length > 0
    ? `must be ${wordsOfTypes(types)}`
    : 'is none of the forms that this field may have'
}

/** The one type of a schema that says nothing else. */
function onlyType(schema: unknown): string | undefined {
  const type = valueAt(schema, ['type'])
  const isOnly = typeof schema === 'object' && schema !== null && Object.keys(schema).length === 1
  return isOnly && typeof type === 'string' ? type : undefined
}

function allowedWords(values: unknown): string {
  if (!Array.isArray(values) || values.length === 0) return wrongForm
  const more = values.length > valuesShown ? ` (and ${values.length - valuesShown} more)` : ''
  return `must be one of: ${values.slice(0, valuesShown).map(shown).join(', ')}${more}`
}

function unknownWords(name: unknown, names: readonly string[]): string {
  const [near] = typeof name === 'string' && name.length <= nameMaxLength ? nearNames(name, names) : []
  return near === undefined ? 'is not known here' : `is not known here (did you mean ${bounded(near)}?)`
}

/** The names of the fields that stand beside the keyword at `path`. */
function namesAt(schema: unknown, path: Problem['at']): string[] {
  const properties = valueAt(schema, [...path.slice(0, -1), 'properties'])
  if (typeof properties !== 'object' || properties === null) return []
  return Object.keys(properties)
    .slice(0, namesMax)
    .filter((name) => name.length <= nameMaxLength)
}

function missingNames(required: readonly unknown[], value: unknown): string[] {
  const has = (field: string) => typeof value === 'object' && value !== null && Object.hasOwn(value, field)
  return required
    .filter((field): field is string => typeof field === 'string' && !has(field))
    .slice(0, problemsMax)
}

function valueAt(root: unknown, path: Problem['at']): unknown {
  let value = root
  for (const part of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined
    value = (value as Record<string | number, unknown>)[part]
  }
  return value
}

const bounded = (text: string): string => {
  const whole = visibleText(text.slice(0, nameMaxLength))
  return text.length > nameMaxLength ? `${whole}…` : whole
}

const shown = (value: unknown): string =>
  typeof value === 'object' && value !== null ? 'a certain value' : bounded(JSON.stringify(value) ?? '')
