import type { TSchema } from 'typebox'
import { catalogue, type ErrorCode } from './errors/catalogue.ts'
import { uncoded } from './errors/uncoded.ts'
import { CodedErrorBody, ValidationError } from './errors/validation-error.ts'
import { idempotencyKeyMaxLength } from './limits.ts'
import { uploadCapabilityHeader } from './resources/context-upload.ts'
import { namedSchemas } from './resources/index.ts'
import { errorsOf } from './routes/implied-errors.ts'
import { allRoutes } from './routes/index.ts'
import type { Route } from './routes/route.ts'

/**
 * The OpenAPI 3.1 document, made from the route table alone: paths and bodies are the schemas that requests are
 * checked with, error answers are those of the catalogue. Schemas that have a name become components, found by
 * identity wherever they are nested.
 */
type Json = string | number | boolean | null | Json[] | { [key: string]: Json }
type JsonObject = { [key: string]: Json }

const components: Record<string, TSchema> = { ...namedSchemas, CodedErrorBody, ValidationError }
const namesBySchema = new Map<unknown, string>(
  Object.entries(components).map(([name, schema]) => [schema, name]),
)

export interface OpenApiOptions {
  /** Release of the service. */
  version: string
  /** Base URL, where it is known. */
  serverUrl?: string
}

export function openApiDocument(options: OpenApiOptions): JsonObject {
  const paths: Record<string, JsonObject> = {}
  for (const [name, route] of Object.entries<Route>(allRoutes)) {
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
    paths,
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
        key: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
      },
      schemas: Object.fromEntries(
        Object.entries(components).map(([name, schema]) => [name, childrenOf(schema)]),
      ),
    },
  }
}

const isOpen = (route: Route): boolean => route.access === 'public' || route.access === 'token'

const operation = (name: string, route: Route): JsonObject => ({
  operationId: name,
  summary: route.summary,
  tags: [route.tag],
  security: isOpen(route) ? [] : [{ token: [] }, { key: [] }],
  parameters: parametersOf(route),
  ...bodyOf(route),
  responses: { '200': success(route), ...failures(route) },
})

function parametersOf(route: Route): Json[] {
  const headers: JsonObject[] = []
  if (route.idempotent) {
    const schema = { type: 'string', minLength: 1, maxLength: idempotencyKeyMaxLength }
    headers.push({ name: 'Idempotency-Key', in: 'header', required: true, schema })
  }
  if (route.bodyKind === 'octet-stream') {
    headers.push({ name: uploadCapabilityHeader, in: 'header', required: true, schema: { type: 'string' } })
  }
  return [...fields('path', route.params), ...fields('query', route.query), ...headers]
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

function bodyOf(route: Route): JsonObject {
  if (!route.body && !route.bodyKind) return {}
  const mediaType = mediaTypes[route.bodyKind ?? 'json']
  const content: JsonObject = { [mediaType]: route.body ? { schema: render(route.body) } : {} }
  return { requestBody: { required: !route.bodyOptional, content } }
}

function success(route: Route): JsonObject {
  return route.response
    ? { description: 'Success', content: { 'application/json': { schema: render(route.response) } } }
    : { description: 'The bytes', content: { 'application/octet-stream': {} } }
}

/** Error answers by status, each with its codes as examples. */
function failures(route: Route): JsonObject {
  const codes = Map.groupBy(errorsOf(route), (code) => catalogue[code].status)
  const answers: JsonObject = {}
  for (const [status, ofStatus] of codes) answers[status] = codedAnswer(ofStatus)
  if (route.params || route.query || route.body) answers[422] = invalidAnswer(codes.get(422) ?? [])
  if (!isOpen(route)) answers[uncoded.no_credentials.status] = { description: uncoded.no_credentials.detail }
  return answers
}

const codedAnswer = (codes: ErrorCode[]): JsonObject => ({
  description: codes.map((code) => `\`${code}\`: ${catalogue[code].message}`).join('\n\n'),
  content: { 'application/json': { schema: render(CodedErrorBody), examples: examplesOf(codes) } },
})

const invalidAnswer = (codes: ErrorCode[]): JsonObject => ({
  description: ['The request is not valid.', ...codes.map((code) => `\`${code}\``)].join('\n\n'),
  content: {
    'application/json': { schema: { anyOf: [render(ValidationError), render(CodedErrorBody)] } },
  },
})

const examplesOf = (codes: ErrorCode[]): JsonObject =>
  Object.fromEntries(
    codes.map((code) => [code, { value: { detail: { code, message: catalogue[code].message } } }]),
  )

/** A schema as JSON, with a reference in the place of each component. */
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
