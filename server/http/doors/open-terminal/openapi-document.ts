import type { TObject, TSchema } from 'typebox'
import type { Operation } from './operation.ts'

/** The OpenAPI document from which the platform makes tools: the operations that models are offered. */
export function openApiDocument(operations: readonly Operation[]) {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const { tool, route, query, body } of operations) {
    if (!tool) continue
    const { path, method } = route
    const of = paths[path] ?? {}
    paths[path] = of
    of[method.toLowerCase()] = {
      ...tool,
      parameters: [...pathParameters(path), ...queryParameters(query)],
      ...(body && {
        requestBody: { required: true, content: { 'application/json': { schema: toolSchema(body) } } },
      }),
      responses: { 200: { description: 'Success' } },
    }
  }
  const description = 'Commands and files of one person, in sandboxes.'
  return { openapi: '3.1.0', info: { title: 'Open Terminal', description, version: '1.0.0' }, paths }
}

const pathParameters = (path: string) =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))

function queryParameters(query: TObject) {
  const required: readonly string[] = query.required ?? []
  const properties = Object.entries(query.properties as Record<string, TSchema & { description?: string }>)
  return properties.map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    description: schema.description,
    schema: toolSchema(schema),
  }))
}

/** Some services of models compile a schema to a grammar, and refuse patterns and large bounds. */
const kept = ['type', 'description', 'enum', 'required', 'minimum'] as const

interface AnySchema extends Partial<Record<(typeof kept)[number], unknown>> {
  properties?: Record<string, TSchema>
  patternProperties?: Record<string, TSchema>
  items?: TSchema
  anyOf?: TSchema[]
}

/** A schema as models are offered it: what a value is, without the bounds that the request is checked against. */
function toolSchema(schema: TSchema): Record<string, unknown> {
  const { properties, patternProperties, items, anyOf, ...fields } = schema as AnySchema
  const shown = kept.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]] as const]))
  const [ofAnyName] = Object.values(patternProperties ?? {})
  return {
    ...Object.fromEntries(shown),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [name, toolSchema(property)]),
      ),
    }),
    ...(ofAnyName && { additionalProperties: toolSchema(ofAnyName) }),
    ...(items && { items: toolSchema(items) }),
    ...(anyOf && { anyOf: anyOf.map((one) => toolSchema(one)) }),
  }
}
