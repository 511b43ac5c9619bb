import { catalogue, type ErrorCode, statusesOf } from '../errors/catalogue.ts'
import { type UncodedError, uncoded } from '../errors/uncoded.ts'
import { CodedErrorBody, ValidationError } from '../errors/validation-error.ts'
import { errorsOf, plainErrorsOf } from '../routes/implied-errors.ts'
import type { Route } from '../routes/route.ts'
import type { JsonObject } from './json.ts'
import { renderSchema } from './render-schema.ts'
import type { Part } from './shared-parts.ts'
import { headers } from './success.ts'

interface Failure {
  status: number
  codes: ErrorCode[]
  plain: UncodedError[]
}

/** Error responses of a route by status: coded errors, plain-text errors, and validation errors. */
export function failures(operation: string, route: Route): Record<string, Part> {
  const all = failuresOf(route).map((failure): [string, Part] => [
    String(failure.status),
    { name: nameOf(operation, failure), value: answerOf(failure) },
  ])
  return Object.fromEntries(all)
}

/** With the reasons in the order of the catalogue, so that equal ones are the same response. */
function failuresOf(route: Route): Failure[] {
  const codes = new Map<number, ErrorCode[]>()
  for (const code of inOrder(errorsOf(route), catalogue))
    for (const status of statusesOf(code)) codes.set(status, [...(codes.get(status) ?? []), code])
  const plain = Map.groupBy(inOrder(plainErrorsOf(route), uncoded), (name): number => uncoded[name].status)
  const validates = route.params || route.query || route.body || route.bodyKind
  const statuses = new Set([...codes.keys(), ...plain.keys(), ...(validates ? [invalidStatus] : [])])
  return [...statuses]
    .sort((one, other) => one - other)
    .map((status) => ({ status, codes: codes.get(status) ?? [], plain: plain.get(status) ?? [] }))
}

function inOrder<Name extends string>(names: Name[], table: Record<Name, unknown>): Name[] {
  const order = Object.keys(table)
  return names.toSorted((one, other) => order.indexOf(one) - order.indexOf(other))
}

const invalidStatus = 422

/** Responses with more reasons are named by an operation that has them. */
const reasonsNamed = 4

function nameOf(operation: string, { status, codes, plain }: Failure): string {
  const reasons = [...plain, ...codes]
  if (reasons.length > reasonsNamed) return `${capitalized(operation)}${status}`
  const words = [...(status === invalidStatus ? ['invalid'] : []), ...reasons].join('_or_').split('_')
  return words.map(capitalized).join('')
}

const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

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
