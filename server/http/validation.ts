import { Ajv2020 as Ajv, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { TSchema } from 'typebox'
import { ValidationError, type ValidationProblem } from '../base/validation-error.ts'

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
      (check.errors ?? []).slice(0, problemsShown).map((error) => render(part, error)),
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

/** Ajv's words for a problem, without the value that caused it. */
function render(part: Part, error: ErrorObject): ValidationProblem {
  const loc: (string | number)[] = [part, ...error.instancePath.split('/').slice(1).map(decodePointer)]
  const named = error.params.additionalProperty ?? error.params.missingProperty
  if (typeof named === 'string') loc.push(named)
  const types: Record<string, string> = { additionalProperties: 'extra_forbidden', required: 'missing' }
  return { type: types[error.keyword] ?? error.keyword, loc, msg: error.message ?? 'is not valid' }
}

const decodePointer = (segment: string): string | number =>
  /^\d+$/.test(segment) ? Number(segment) : segment.replaceAll('~1', '/').replaceAll('~0', '~')
