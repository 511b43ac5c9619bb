import { actions, needsCredentials } from '../access/actions.ts'
import { allRoutes } from '../routes/index.ts'
import type { Route } from '../routes/route.ts'
import { errorExamples, failures } from './failures.ts'
import type { JsonObject } from './json.ts'
import { bodyExamples } from './media.ts'
import { components, renderNamed } from './render-schema.ts'
import { bodyOf, parametersOf } from './request.ts'
import { type Part, SharedParts } from './shared-parts.ts'
import { requestId, successes } from './success.ts'
import { whoMay } from './who-may.ts'

/**
 * The OpenAPI 3.1 document, generated from the route table alone. Paths and bodies use the schemas that validate
 * requests, described with `about()`; error responses come from the catalogue. Every error code is an example, and
 * responses with that code refer to it. Responses that several operations have are components. Parameters are not: agent
 * platforms that make tools of a document do not follow references to them.
 */
export interface OpenApiOptions {
  /** Release of the service. */
  version: string
  /** Base URL, if known. */
  serverUrl?: string
}

export function openApiDocument(options: OpenApiOptions): JsonObject {
  const routes = Object.entries<Route>(allRoutes)
  const responses = new SharedParts(
    'responses',
    routes.flatMap(([name, route]) => Object.values(responsesOf(name, route))),
  )
  const paths: Record<string, JsonObject> = {}
  for (const [name, route] of routes) {
    const described = { ...operation(name, route), responses: responses.inPlace(responsesOf(name, route)) }
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: described }
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
        Object.entries(components).map(([name, schema]) => [name, renderNamed(schema)]),
      ),
      responses: responses.components,
      examples: {
        ...bodyExamples(routes.map(([, route]) => route)),
        ...errorExamples(routes.map(([, route]) => route)),
      },
    },
  }
}

/** In a turn, the header with its context stands for the person. */
const takesLogin = ({ action }: Route): boolean =>
  needsCredentials(action) && actions[action].subject !== 'turn'

/** Of every operation of the sandbox, beside that of its area. It is not declared: pages that group by tags show areas. */
const sandboxTag = 'Sandbox'

const tagsOf = ({ path, tag }: Route): string[] => (path.includes('/sandbox') ? [tag, sandboxTag] : [tag])

const operation = (name: string, route: Route): JsonObject => ({
  operationId: name,
  summary: route.summary,
  description: [route.description, whoMay(route.action)].filter(Boolean).join('\n\n'),
  tags: tagsOf(route),
  security: takesLogin(route) ? [{ token: [] }, { key: [] }] : [],
  parameters: parametersOf(route),
  ...bodyOf(route),
})

const responsesOf = (name: string, route: Route): Record<string, Part> => ({
  ...successes(route),
  ...failures(name, route),
})
