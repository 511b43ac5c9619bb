import { digestPattern } from '@sandbox-jobs/contract/digest.ts'
import { keywordWords } from '@sandbox-jobs/contract/errors/keyword-words.ts'
import { Identifier } from '@sandbox-jobs/contract/ids.ts'
import { tableFieldNamePattern, webhookUrlPattern } from '@sandbox-jobs/contract/limits.ts'
import { budgetAmountPattern, budgetMonthPattern } from '@sandbox-jobs/contract/operator/company-budget.ts'
import { DomainText } from '@sandbox-jobs/contract/resources/access/api-key.ts'
import { timeZonePattern } from '@sandbox-jobs/contract/resources/access/own-account.ts'
import { clientIdPattern } from '@sandbox-jobs/contract/resources/agents/social-media-client.ts'
import { UsageDay } from '@sandbox-jobs/contract/resources/companies/usage-report.ts'
import { Login } from '@sandbox-jobs/contract/resources/companies/user.ts'
import { languageNamePattern, languageVersionPattern } from '@sandbox-jobs/contract/resources/doors/door.ts'
import { metadataFilterPattern } from '@sandbox-jobs/contract/resources/runs/extended-run.ts'
import { inputFileNamePattern, MediaType } from '@sandbox-jobs/contract/resources/runs/input-file.ts'
import { ivPattern, strictBase64Pattern } from '@sandbox-jobs/contract/resources/secrets/secret-binding.ts'
import { sessionPathPattern } from '@sandbox-jobs/contract/resources/sessions/session-file.ts'
import { tokenIdPattern } from '@sandbox-jobs/contract/resources/tables/output-callback.ts'
import { SecretSlotName } from '@sandbox-jobs/contract/resources/tasks/secret-slot.ts'
import { topicsPattern } from '@sandbox-jobs/contract/routes/event-routes.ts'
import { PlainText, VisibleText } from '@sandbox-jobs/contract/schema.ts'
import { Ajv2020 as Ajv, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { TSchema } from 'typebox'
import { problemOf, ValidationError, type ValidationProblem } from '../../base/errors/validation-error.ts'

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

const patternOf = (schema: TSchema) => (schema as { pattern?: string }).pattern

/** The meaning for people of each pattern of a request: a response never shows the expression itself. */
export const patternMessages: ReadonlyMap<unknown, string> = new Map([
  [patternOf(Identifier), 'may hold letters, digits, ".", "_" and "-" only'],
  [patternOf(PlainText({ maxLength: 1 })), 'may not hold a NUL character'],
  [patternOf(VisibleText({ maxLength: 1 })), 'must hold a visible character, and no NUL character'],
  [digestPattern, 'must be "sha256:" and 64 lowercase hexadecimal digits'],
  [patternOf(Login), 'must have 1 to 64 letters, digits, ".", "_", ":", "@" and "-"'],
  [clientIdPattern, 'must have 1 to 128 letters, digits, ".", "_", ":", "@", "+" and "-"'],
  [patternOf(DomainText), 'may hold neither white space nor a NUL character'],
  [strictBase64Pattern, 'must be base64 with its padding'],
  [ivPattern, 'must be the base64 of 12 bytes'],
  [inputFileNamePattern, 'must be a plain file name, without "/", "\\" and control characters'],
  [patternOf(MediaType), 'must be a type and a subtype, such as text/csv'],
  [tableFieldNamePattern, 'must have 1 to 63 lowercase letters, digits and "_", and start with a letter'],
  [patternOf(UsageDay), 'must be a day, such as 2026-01-31'],
  [tokenIdPattern, 'must be a UUID in lowercase'],
  [budgetAmountPattern, 'must be an amount with at most six decimals, such as 99.50'],
  [budgetMonthPattern, 'must be a month, such as 2026-01'],
  [languageNamePattern, 'must be a language name: letters, digits, ".", "+", "#", "_" and "-"'],
  [languageVersionPattern, 'must be a version of three numbers, such as 3.12.0'],
  [
    sessionPathPattern,
    'must be a relative path without "." or ".." parts, empty parts and control characters',
  ],
  [timeZonePattern, 'must be the name of a time zone, such as Europe/Berlin'],
  [topicsPattern, 'must be topics with commas between them, such as me,room:*'],
  [webhookUrlPattern, 'must be an http or https address without white space'],
  [metadataFilterPattern, 'must be a metadata key, "=" and its value'],
  [
    patternOf(SecretSlotName),
    'must be a name of letters, digits and "_" that starts with neither a digit nor the reserved prefix',
  ],
])

const formatMessages: Record<string, string> = {
  'date-time': 'must be an instant with an offset, such as 2026-01-31T12:00:00Z',
}

type MessageOf = (params: Record<string, unknown>) => string

/** By keyword of JSON Schema: the text that follows the field name, where it differs from `keywordWords`. */
const keywordMessages: Record<string, MessageOf> = {
  required: () => 'is required',
  additionalProperties: () => 'is not a field of this request',
  enum: ({ allowedValues }) => `must be one of: ${(allowedValues as unknown[]).join(', ')}`,
  const: ({ allowedValue }) => `must be ${JSON.stringify(allowedValue)}`,
  pattern: ({ pattern }) => patternMessages.get(pattern) ?? 'is not of the form that this field has',
  format: ({ format }) => formatMessages[String(format)] ?? 'is not of the form that this field has',
  discriminator: ({ tag }) => `must have a field ${tag} that says which kind it is`,
}

/** The fault of a field, to follow its name. It never contains the pattern or the value. */
function messageOf({ keyword, params }: ErrorObject): string {
  const special = keywordMessages[keyword]
  if (special) return special(params)
  return (
    keywordWords[keyword]?.(params.type ?? params.limit) ?? 'is none of the forms that this field may have'
  )
}
