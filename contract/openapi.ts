import type { TSchema } from 'typebox'
import { needsCredentials } from './access/actions.ts'
import { catalogue, type ErrorCode } from './errors/catalogue.ts'
import { type UncodedError, uncoded } from './errors/uncoded.ts'
import { CodedErrorBody, ValidationError } from './errors/validation-error.ts'
import { idempotencyKeyMaxLength } from './limits.ts'
import { uploadCapabilityHeader } from './resources/environments/context-upload.ts'
import { namedSchemas } from './resources/index.ts'
import { errorsOf, plainErrorsOf } from './routes/implied-errors.ts'
import { allRoutes } from './routes/index.ts'
import type { Route } from './routes/route.ts'

/**
 * The OpenAPI 3.1 document, generated from the route table alone. Paths and bodies use the schemas that validate
 * requests; error responses come from the catalogue. Named schemas become components, found by identity at any
 * nesting. Every error code is an example, and responses with that code refer to it.
 */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json }
export type JsonObject = { [key: string]: Json }

const components: Record<string, TSchema> = { ...namedSchemas, CodedErrorBody, ValidationError }
const namesBySchema = new Map<unknown, string>(
  Object.entries(components).map(([name, schema]) => [schema, name]),
)

export interface OpenApiOptions {
  /** Release of the service. */
  version: string
  /** Base URL, if known. */
  serverUrl?: string
}

export function openApiDocument(options: OpenApiOptions): JsonObject {
  const routes = Object.entries<Route>(allRoutes)
  const paths: Record<string, JsonObject> = {}
  for (const [name, route] of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(name, route) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Sandbox Jobs',
      version: options.version,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: options.serverUrl ?? '/' }],
    tags: [...new Set(routes.map(([, { tag }]) => tag))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
        key: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
      },
      headers: { RequestId: requestId },
      schemas: Object.fromEntries(
        Object.entries(components).map(([name, schema]) => [name, childrenOf(schema)]),
      ),
      responses: namedFailures(routes.map(([, route]) => route)),
      examples: errorExamples(routes.map(([, route]) => route)),
    },
  }
}

const requestId: JsonObject = {
  description: 'Names the request. The service writes it into the log lines about the request.',
  schema: { type: 'string', pattern: '^[0-9a-f]{32}$' },
  example: '7f3c0a9d5b1e4c62a8f0d3b7e6912c45',
}
const headers: JsonObject = { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } }

const operation = (name: string, route: Route): JsonObject => ({
  operationId: name,
  summary: route.summary,
  tags: [route.tag],
  security: needsCredentials(route.action) ? [{ token: [] }, { key: [] }] : [],
  parameters: parametersOf(route),
  ...bodyOf(route),
  responses: {
    [String(route.status ?? 200)]: success(route),
    ...(route.ranges && { '206': { ...success(route), description: 'The requested range' } }),
    ...failures(route),
  },
})

function parametersOf(route: Route): Json[] {
  const inHeader: JsonObject[] = []
  if (route.idempotent) {
    const schema = { type: 'string', minLength: 1, maxLength: idempotencyKeyMaxLength }
    inHeader.push({ name: 'Idempotency-Key', in: 'header', required: true, schema })
  }
  if (route.bodyKind === 'octet-stream') {
    inHeader.push({ name: uploadCapabilityHeader, in: 'header', required: true, schema: { type: 'string' } })
  }
  for (const name of route.requestHeaders ?? []) {
    inHeader.push({ name, in: 'header', required: true, schema: { type: 'string' } })
  }
  if (route.ranges) {
    inHeader.push({ name: 'Range', in: 'header', required: false, schema: { type: 'string' } })
  }
  return [...fields('path', route.params), ...fields('query', route.query), ...inHeader]
}

function fields(place: 'path' | 'query', schema: TSchema | undefined): JsonObject[] {
  const { properties, required } = (schema ?? {}) as {
    properties?: Record<string, TSchema>
    required?: string[]
  }
  return Object.entries(properties ?? {}).map(([name, field]) => ({
    name,
    in: place,
    required: required?.includes(name) ?? false,
    schema: render(field),
  }))
}

const mediaTypes = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  multipart: 'multipart/form-data',
  'octet-stream': 'application/octet-stream',
} as const

/** A multipart body has one part, the file `file`. */
const oneFile: JsonObject = {
  schema: {
    type: 'object',
    required: ['file'],
    properties: { file: { type: 'string', contentMediaType: 'application/octet-stream' } },
  },
}

function bodyOf(route: Route): JsonObject {
  if (!route.body && !route.bodyKind) return {}
  const mediaType = mediaTypes[route.bodyKind ?? 'json']
  const described: JsonObject = route.bodyKind === 'multipart' ? oneFile : {}
  const content: JsonObject = { [mediaType]: route.body ? { schema: render(route.body) } : described }
  return { requestBody: { required: !route.bodyOptional, content } }
}

function success(route: Route): JsonObject {
  return route.response
    ? { description: 'Success', headers, content: { 'application/json': { schema: render(route.response) } } }
    : { description: 'The bytes', headers, content: { [route.mediaType ?? 'application/octet-stream']: {} } }
}

interface Failure {
  status: number
  codes: ErrorCode[]
  plain: UncodedError[]
}

/** Error responses by status: coded errors, plain-text errors, and validation errors. */
function failuresOf(route: Route): Failure[] {
  const codes = Map.groupBy(errorsOf(route), (code): number => catalogue[code].status)
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

function failures(route: Route): JsonObject {
  return Object.fromEntries(
    failuresOf(route).map((failure) => {
      const name = nameOf(failure)
      return [String(failure.status), name ? { $ref: `#/components/responses/${name}` } : answerOf(failure)]
    }),
  )
}

function namedFailures(routes: Route[]): JsonObject {
  const named = routes.flatMap(failuresOf).flatMap((failure): [string, JsonObject][] => {
    const name = nameOf(failure)
    return name ? [[name, answerOf(failure)]] : []
  })
  return Object.fromEntries(named.sort(([one], [other]) => (one < other ? -1 : 1)))
}

function answerOf({ status, codes, plain }: Failure): JsonObject {
  const validation = status === invalidStatus
  const schemas = [
    ...(validation ? [render(ValidationError)] : []),
    ...(codes.length > 0 ? [render(CodedErrorBody)] : []),
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
  properties: { detail: { enum: [...new Set(names.map((name) => uncoded[name].detail))] } },
})

function errorExamples(routes: Route[]): JsonObject {
  const codes = [...new Set(routes.flatMap(errorsOf))].sort()
  return Object.fromEntries(
    codes.map((code) => {
      const { message, advice } = catalogue[code]
      return [code, { summary: advice, value: { detail: { code, message } } }]
    }),
  )
}

/** A schema as JSON, with components replaced by references. */
function render(schema: unknown): Json {
  const name = namesBySchema.get(schema)
  return name === undefined ? childrenOf(schema) : { $ref: `#/components/schemas/${name}` }
}

function childrenOf(value: unknown): Json {
  if (Array.isArray(value)) return value.map(render)
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, render(child)]))
  }
  return value as Json
}
