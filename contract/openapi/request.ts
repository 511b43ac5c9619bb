import type { TSchema } from 'typebox'
import { Type } from 'typebox'
import { about } from '../about.ts'
import { idempotencyKeyMaxLength } from '../limits.ts'
import { uploadCapabilityHeader } from '../resources/environments/context-upload.ts'
import type { Route } from '../routes/route.ts'
import { exampleOf } from './example.ts'
import { isObject, type Json, type JsonObject } from './json.ts'
import { mediaOf } from './media.ts'
import { renderSchema } from './render-schema.ts'

const IdempotencyKey = about(
  'Names the intent, at most 128 characters. A repeat with the same key and the same request returns the first answer; another request with it gets 409 `idempotency_conflict`.',
  Type.String({ minLength: 1, maxLength: idempotencyKeyMaxLength }),
  '6f1c2a90-d7b8-4e6f-b3a1-5c8e2d907f46',
)
const UploadCapability = about('The `capability_token` of initContextUpload.', Type.String(), 'cap_9b1f6c2e')
const Range = about('Part of the bytes, as `bytes=first-last`.', Type.Optional(Type.String()), 'bytes=0-1023')
const LastEventId = about(
  'Id of the last event that the client got: the stream continues after it.',
  Type.Optional(Type.String()),
  '2',
)

export function parametersOf(route: Route): Json[] {
  const headers = Type.Object({
    ...(route.idempotent && {
      'Idempotency-Key': route.idempotent === true ? IdempotencyKey : Type.Optional(IdempotencyKey),
    }),
    ...(route.bodyKind === 'octet-stream' && { [uploadCapabilityHeader]: UploadCapability }),
    ...route.requestHeaders?.properties,
    ...(route.ranges && { Range }),
    ...(route.events && { 'Last-Event-ID': LastEventId }),
  })
  return [...fields('path', route.params), ...fields('query', route.query), ...fields('header', headers)]
}

function fields(place: 'path' | 'query' | 'header', schema: TSchema | undefined): JsonObject[] {
  const { properties, required } = (schema ?? {}) as {
    properties?: Record<string, TSchema>
    required?: string[]
  }
  return Object.entries(properties ?? {}).map(([name, field]) => {
    const rendered = renderSchema(field)
    const { description, examples: _, ...shape } = isObject(rendered) ? rendered : {}
    const example = exampleOf(rendered)
    return {
      name,
      in: place,
      required: required?.includes(name) ?? false,
      ...(description !== undefined && { description }),
      schema: shape,
      ...(example !== undefined && { example }),
    }
  })
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
    properties: {
      file: {
        type: 'string',
        contentMediaType: 'application/octet-stream',
        description: 'The file, with its name.',
        examples: ['print("hello")\n'],
      },
    },
  },
}

export function bodyOf(route: Route): JsonObject {
  if (!route.body && !route.bodyKind) return {}
  const mediaType = mediaTypes[route.bodyKind ?? 'json']
  const described: JsonObject = route.bodyKind === 'multipart' ? oneFile : {}
  const content: JsonObject = { [mediaType]: route.body ? mediaOf(route.body) : described }
  return { requestBody: { required: !route.bodyOptional, content } }
}
