import { Ajv2020 as Ajv, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { TSchema } from 'typebox'
import { problemOf, ValidationError, type ValidationProblem } from '../../base/errors/validation-error.ts'
import { messageOf } from './validation-messages.ts'

const problemsShown = 20

/** The contract's schemas are trusted. Validating them would take most of the start-up time of Ajv. */
const plain = {
  allErrors: false,
  strict: false,
  discriminator: true,
  useDefaults: true,
  validateSchema: false,
} as const
/** Bodies are validated as they are. Paths and queries are text and are converted. */
const bodies = formats.default(new Ajv({ ...plain, coerceTypes: false }))
const texts = formats.default(new Ajv({ ...plain, coerceTypes: 'array' }))

export type Part = 'body' | 'query' | 'path' | 'header'
export type Validate = (value: unknown) => void

/**
 * A validator that throws the standard 422 array. It is compiled on first use, so that start-up does not wait for all
 * of them.
 */
export function validatorOf(part: Part, schema: TSchema): Validate {
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
 * The relevant errors: a nullable field also fails as `null` and as a choice of both, but only the first error says
 * the sender what to send.
 */
function telling(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const relevant = errors.filter(
    ({ keyword, params }) => keyword !== 'anyOf' && !(keyword === 'type' && params.type === 'null'),
  )
  return relevant.length > 0 ? relevant : errors
}

const namePartMaxLength = 128

/** A message for people, without the value that caused it. */
function render(part: Part, error: ErrorObject): ValidationProblem {
  const loc: (string | number)[] = [part, ...error.instancePath.split('/').slice(1).map(decodePointer)]
  const named = error.params.additionalProperty ?? error.params.missingProperty
  if (typeof named === 'string') loc.push(named.slice(0, namePartMaxLength))
  const types: Record<string, string> = { additionalProperties: 'extra_forbidden', required: 'missing' }
  return problemOf(loc, { type: types[error.keyword] ?? error.keyword, words: messageOf(error) })
}

const decodePointer = (segment: string): string | number =>
  /^\d{1,9}$/.test(segment)
    ? Number(segment)
    : segment.replaceAll('~1', '/').replaceAll('~0', '~').slice(0, namePartMaxLength)
