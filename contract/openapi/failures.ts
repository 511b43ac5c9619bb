import { catalogue, type ErrorCode, statusesOf } from '../errors/catalogue.ts'
import { type UncodedError, uncoded } from '../errors/uncoded.ts'
import { CodedErrorBody, ValidationError } from '../errors/validation-error.ts'
import { errorsOf, plainErrorsOf } from '../routes/implied-errors.ts'
import type { Route } from '../routes/route.ts'
import type { JsonObject } from './json.ts'
import { renderSchema } from './render-schema.ts'
import { headers } from './success.ts'

interface Failure {
  status: number
  codes: ErrorCode[]
  plain: UncodedError[]
}

/** Error responses by status: coded errors, plain-text errors, and validation errors. */
function failuresOf(route: Route): Failure[] {
  const codes = new Map<number, ErrorCode[]>()
  for (const code of errorsOf(route))
    for (const status of statusesOf(code)) codes.set(status, [...(codes.get(status) ?? []), code])
  const plain = Map.groupBy(plainErrorsOf(route), (name): number => uncoded[name].status)
  const validates = route.params || route.query || route.body || route.bodyKind
  const statuses = new Set([...codes.keys(), ...plain.keys(), ...(validates ? [invalidStatus] : [])])
  return [...statuses]
    .sort((one, other) => one - other)
    .map((status) => ({ status, codes: codes.get(status) ?? [], plain: plain.get(status) ?? [] }))
}

const invalidStatus = 422

/** Responses with at most this many reasons get a name, so that operations can share them. */
const reasonsNamed = 2

function nameOf({ status, codes, plain }: Failure): string | undefined {
  const reasons = [...plain, ...codes]
  if (reasons.length > reasonsNamed) return undefined
  const words = [...(status === invalidStatus ? ['invalid'] : []), ...reasons].join('_or_').split('_')
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}

export function failures(route: Route): JsonObject {
  return Object.fromEntries(
    failuresOf(route).map((failure) => {
      const name = nameOf(failure)
      return [String(failure.status), name ? { $ref: `#/components/responses/${name}` } : answerOf(failure)]
    }),
  )
}

export function namedFailures(routes: Route[]): JsonObject {
  const named = routes.flatMap(failuresOf).flatMap((failure): [string, JsonObject][] => {
    const name = nameOf(failure)
    return name ? [[name, answerOf(failure)]] : []
  })
  return Object.fromEntries(named.sort(([one], [other]) => (one < other ? -1 : 1)))
}

function answerOf({ status, codes, plain }: Failure): JsonObject {
  const validation = status === invalidStatus
  const schemas = [
    ...(validation ? [renderSchema(ValidationError)] : []),
    ...(codes.length > 0 ? [renderSchema(CodedErrorBody)] : []),
    ...(plain.length > 0 ? [plainText(plain)] : []),
  ]
  const [only, ...others] = schemas
  const examples = codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])
  const content: JsonObject = {
    schema: only !== undefined && others.length === 0 ? only : { anyOf: schemas },
    ...(codes.length > 0 && { examples: Object.fromEntries(examples) as JsonObject }),
  }
  const paragraphs = [
    ...(validation ? ['The request is not valid.'] : []),
    ...plain.map((name) => uncoded[name].detail),
    ...codes.map((code) => `\`${code}\``),
  ]
  return { description: paragraphs.join('\n\n'), headers, content: { 'application/json': content } }
}

const plainText = (names: UncodedError[]): JsonObject => ({
  type: 'object',
  required: ['detail'],
  properties: {
    detail: {
      enum: [...new Set(names.map((name) => uncoded[name].detail))],
      description: 'The error, for people.',
    },
  },
})

export function errorExamples(routes: Route[]): JsonObject {
  const codes = [...new Set(routes.flatMap(errorsOf))].sort()
  return Object.fromEntries(
    codes.map((code) => {
      const { message, advice } = catalogue[code]
      return [code, { summary: advice, value: { detail: { code, message } } }]
    }),
  )
}
