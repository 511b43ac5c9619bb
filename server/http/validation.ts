import { Ajv2020 as Ajv, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { TSchema } from 'typebox'
import { problemOf, ValidationError, type ValidationProblem } from '../base/validation-error.ts'
import { wordsOf } from './problem-words.ts'

const problemsShown = 20

/** The schemas are of the contract's own making: to check their form costs a start more than all else that Ajv does. */
const plain = {
  allErrors: false,
  strict: false,
  discriminator: true,
  useDefaults: true,
  validateSchema: false,
} as const
/** Bodies are taken as they are; paths and queries are text and are converted. */
const bodies = formats.default(new Ajv({ ...plain, coerceTypes: false }))
const texts = formats.default(new Ajv({ ...plain, coerceTypes: 'array' }))

export type Part = 'body' | 'query' | 'path' | 'header'
export type Validate = (value: unknown) => void

/** A check that throws the standard 422 array. Compiled with its first value: a start does not wait for all of them. */
export function checkOf(part: Part, schema: TSchema): Validate {
  let check: ValidateFunction | undefined
  return (value) => {
    check ??= (part === 'body' ? bodies : texts).compile(schema)
    if (check(value)) return
    throw new ValidationError(
      telling(check.errors ?? [])
        .slice(0, problemsShown)
        .map((error) => render(part, error)),
    )
  }
}

export function isValid(validate: Validate, value: unknown): boolean {
  try {
    validate(value)
    return true
  } catch (error) {
    if (error instanceof ValidationError) return false
    throw error
  }
}

/**
 * Those that say something: a field that may be null fails its other form, being no null and the choice between both,
 * and only the first tells its sender what to send.
 */
function telling(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const told = errors.filter(
    ({ keyword, params }) => keyword !== 'anyOf' && !(keyword === 'type' && params.type === 'null'),
  )
  return told.length > 0 ? told : errors
}

const namePartMaxLength = 128

/** A problem in words for people, without the value that caused it. */
function render(part: Part, error: ErrorObject): ValidationProblem {
  const loc: (string | number)[] = [part, ...error.instancePath.split('/').slice(1).map(decodePointer)]
  const named = error.params.additionalProperty ?? error.params.missingProperty
  if (typeof named === 'string') loc.push(named.slice(0, namePartMaxLength))
  const types: Record<string, string> = { additionalProperties: 'extra_forbidden', required: 'missing' }
  return problemOf(loc, { type: types[error.keyword] ?? error.keyword, words: wordsOf(error) })
}

const decodePointer = (segment: string): string | number =>
  /^\d{1,9}$/.test(segment)
    ? Number(segment)
    : segment.replaceAll('~1', '/').replaceAll('~0', '~').slice(0, namePartMaxLength)
