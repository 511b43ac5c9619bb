import { catalogue } from '../../contract/errors/catalogue.ts'
import { allRoutes, type RouteName } from '../../contract/routes/index.ts'
import type { Route } from '../../contract/routes/route.ts'
import type { Operation } from './operation.ts'

/* The package has these values as a table instead, and no part of the contract's schemas (`client/packing/`). */

export type OperationName = RouteName

export const operations = Object.fromEntries(
  Object.entries<Route>(allRoutes).map(([name, route]) => [name, operationOf(route)]),
) as Record<OperationName, Operation>

/** Advice to a caller about an error, by its code. */
export const hints: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(catalogue).map(([code, { advice }]) => [code, advice]),
)

function operationOf(route: Route): Operation {
  const pages = pagesOf(route)
  return {
    method: route.method,
    path: route.path,
    ...(route.bodyKind && { bodyKind: route.bodyKind }),
    ...(route.idempotent && { idempotent: true }),
    ...(!route.response && { answers: route.events ? 'events' : 'bytes' }),
    ...(pages && { pages }),
  }
}

function pagesOf({ query, response }: Route): Operation['pages'] {
  const parameters = fieldsOf(query)
  if ('offset' in parameters && isList(response)) return 'offset'
  return 'page_token' in parameters && 'items' in fieldsOf(response) ? 'token' : undefined
}

function isList(schema: Route['response']): boolean {
  return schema !== undefined && 'type' in schema && schema.type === 'array'
}

function fieldsOf(schema: unknown): object {
  return (schema as { properties?: object } | undefined)?.properties ?? {}
}
