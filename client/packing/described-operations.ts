import { openApiDocument } from '@sandbox-jobs/contract/openapi/document.ts'
import { isObject, type Json, type JsonObject, textOf } from '@sandbox-jobs/contract/openapi/json.ts'
import { renderSchema } from '@sandbox-jobs/contract/openapi/render-schema.ts'
import { errorsOf } from '@sandbox-jobs/contract/routes/implied-errors.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Route } from '@sandbox-jobs/contract/routes/route.ts'
import type { Operation } from '../src/operation.ts'
import { type OperationName, operations } from '../src/operations.ts'
import { typeOf } from './typescript-type.ts'

/** The document, as the package of the client describes it. */
const document = openApiDocument({ version: '0' })
const components = document.components as { schemas: Record<string, JsonObject> }
export const schemas = components.schemas

/** One operation, as the client has it. */
export interface DescribedOperation {
  name: string
  route: Route
  description: string
  params: JsonObject[]
  query: JsonObject[]
  headers: JsonObject[]
  /** TypeScript type of the answer. */
  result: string
  /** TypeScript type of one item of a list. */
  item: string | undefined
  /** TypeScript type of one event. */
  event: string | undefined
  errors: string[]
}

export const describedOperations: DescribedOperation[] = Object.entries<Route>(allRoutes).map(
  ([name, route]) => {
    const operation = operationAt(route)
    const parameters = operation.parameters as JsonObject[]
    const placed = (place: string) => parameters.filter((parameter) => parameter.in === place)
    const ownHeaders = new Set(['Idempotency-Key', 'Last-Event-ID'])
    return {
      name,
      route,
      description: textOf(operation.description),
      params: placed('path'),
      query: placed('query'),
      headers: placed('header').filter((parameter) => !ownHeaders.has(textOf(parameter.name))),
      result: route.response ? typeOf(renderSchema(route.response)) : 'Response',
      item: itemOf(operations[name as OperationName], route),
      event: route.events && typeOf(renderSchema(route.events)),
      errors: errorsOf(route).filter((code) => code !== 'internal_error'),
    }
  },
)

function operationAt({ path, method }: Route): JsonObject {
  const paths = document.paths as Record<string, Record<string, JsonObject>>
  return paths[path]?.[method.toLowerCase()] ?? {}
}

function itemOf({ pages }: Operation, route: Route): string | undefined {
  const answer = resolved(route.response && renderSchema(route.response))
  if (pages === 'offset') return typeOf(answer.items)
  const items = isObject(answer.properties) ? answer.properties.items : undefined
  return pages === 'token' && isObject(items) ? typeOf(items.items) : undefined
}

function resolved(schema: Json | undefined): JsonObject {
  if (!isObject(schema)) return {}
  const { $ref } = schema
  return typeof $ref === 'string' ? (schemas[$ref.slice($ref.lastIndexOf('/') + 1)] ?? {}) : schema
}
