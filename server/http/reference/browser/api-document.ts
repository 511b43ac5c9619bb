/** The parts of `/openapi.json` that trying an operation needs. */
export interface Operation {
  method: string
  path: string
  operationId: string
  parameters: Parameter[]
  needsLogin: boolean
  mediaType: string | undefined
  example: unknown
  streams: boolean
}

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description: string
  example: unknown
  schema: { type?: string; enum?: unknown[]; items?: { enum?: unknown[] } }
}

interface Media {
  schema?: Schema
  example?: unknown
  examples?: Record<string, { $ref: string }>
}

export interface ApiDocument {
  paths: Record<string, Record<string, Described>>
  components: {
    examples: Record<string, { value: unknown }>
    schemas: Record<string, Schema>
    responses: Record<string, Answer>
  }
}

interface Answer {
  content?: Record<string, unknown>
}

interface Schema {
  $ref?: string
  properties?: Record<string, Schema>
  required?: string[]
}

interface Described {
  operationId: string
  parameters: Parameter[]
  security: unknown[]
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, Answer | { $ref: string }>
}

let loading: Promise<Map<string, Operation>> | undefined

/** Every operation by its id; the document is loaded once, when it is first needed. */
export function operations(): Promise<Map<string, Operation>> {
  loading ??= load()
  return loading
}

async function load(): Promise<Map<string, Operation>> {
  const response = await fetch('openapi.json')
  return operationsOf((await response.json()) as ApiDocument)
}

export function operationsOf(api: ApiDocument): Map<string, Operation> {
  const all = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => operationOf(api, { method, path, described })),
  )
  return new Map(all.map((operation) => [operation.operationId, operation]))
}

function operationOf(
  api: ApiDocument,
  { method, path, described }: { method: string; path: string; described: Described },
): Operation {
  const [body] = Object.entries(described.requestBody?.content ?? {})
  const [named] = Object.keys(body?.[1].examples ?? {})
  return {
    method: method.toUpperCase(),
    path,
    operationId: described.operationId,
    parameters: described.parameters,
    needsLogin: described.security.length > 0,
    mediaType: body?.[0],
    example: shortest(
      api,
      body?.[1].schema,
      named === undefined ? body?.[1].example : api.components.examples[named]?.value,
    ),
    streams: 'text/event-stream' in (answerOf(api, described.responses['200'])?.content ?? {}),
  }
}

const answerOf = (
  { components }: ApiDocument,
  answer: Answer | { $ref: string } | undefined,
): Answer | undefined => (answer && '$ref' in answer ? components.responses[nameOf(answer.$ref)] : answer)

const nameOf = (reference: string): string => reference.slice(reference.lastIndexOf('/') + 1)

/** The example without what may be left out. If nothing is required, as in a change, its first field. */
function shortest(api: ApiDocument, schema: Schema | undefined, example: unknown): unknown {
  if (typeof example !== 'object' || example === null || Array.isArray(example)) return example
  const found = schema?.$ref ? api.components.schemas[nameOf(schema.$ref)] : schema
  if (!found?.properties) return example
  const entries = Object.entries(example)
  const needed = entries.filter(([name]) => found.required?.includes(name))
  const kept = needed.length > 0 ? needed : entries.slice(0, 1)
  return Object.fromEntries(
    kept.map(([name, value]) => [name, shortest(api, found.properties?.[name], value)]),
  )
}
