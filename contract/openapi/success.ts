import { eventStreamType, type Route } from '../routes/route.ts'
import { exampleOf } from './example.ts'
import { isObject, type Json, type JsonObject, textOf } from './json.ts'
import { mediaOf } from './media.ts'
import { nameOf, renderSchema } from './render-schema.ts'
import type { Part } from './shared-parts.ts'

const requestIdExample = '7f3c0a9d5b1e4c62a8f0d3b7e6912c45'

export const requestId: JsonObject = {
  description: 'Names the request. The service writes it into the log lines about the request.',
  schema: { type: 'string', pattern: '^[0-9a-f]{32}$' },
  example: requestIdExample,
}
export const headers: JsonObject = { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } }

/** Successful responses of a route, by status. */
export function successes(route: Route): Record<string, Part> {
  const whole = success(route)
  return {
    [String(route.status ?? 200)]: whole,
    ...(route.ranges && {
      '206': { name: 'RequestedRange', value: { ...whole.value, description: 'The requested range' } },
    }),
  }
}

function success(route: Route): Part {
  if (route.response) {
    const content = { 'application/json': mediaOf(route.response) }
    return { name: nameOf(route.response) ?? 'Success', value: { description: 'Success', headers, content } }
  }
  if (route.events) {
    const content = events(route.events)
    return { name: 'Events', value: { description: 'The events, as they happen', headers, content } }
  }
  const content = { [route.mediaType ?? 'application/octet-stream']: {} }
  return { name: 'Bytes', value: { description: 'The bytes', headers, content } }
}

/** The stream is text; `contentSchema` describes what its lines say, as JSON Schema has it. */
function events(schema: unknown): JsonObject {
  const event = renderSchema(schema)
  const described: JsonObject = {
    type: 'string',
    contentMediaType: eventStreamType,
    contentSchema: {
      type: 'array',
      items: {
        type: 'object',
        required: ['id', 'event', 'data'],
        properties: {
          id: {
            type: 'string',
            description: 'Position after the event, for `Last-Event-ID`.',
            examples: ['2'],
          },
          event: { type: 'string', description: 'The `kind` of the data.', examples: ['end'] },
          data: {
            type: 'string',
            description: 'One line of JSON.',
            contentMediaType: 'application/json',
            contentSchema: event,
            examples: [JSON.stringify(exampleOf(event))],
          },
        },
      },
    },
  }
  return {
    [eventStreamType]: { schema: described, example: `: connected\n\n${examplesOf(schema).join('')}` },
  }
}

/** One event of each kind. Comment lines keep the connection alive. */
function examplesOf(schema: unknown): string[] {
  const { anyOf = [] } = schema as { anyOf?: unknown[] }
  return anyOf.map((kind, at) => {
    const data: Json | undefined = exampleOf(renderSchema(kind))
    const name = isObject(data) ? textOf(data.kind) : ''
    return `id: ${at}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`
  })
}
