/** The parts of the OpenAPI document that the reference page reads. `contract/openapi` writes the document. */
export interface ApiDocument {
  info: { title: string; version: string }
  servers: { url: string }[]
  tags: { name: string }[]
  paths: Record<string, Record<string, Operation>>
  components: {
    schemas: Record<string, Schema>
    responses: Record<string, Answer>
    examples: Record<string, { value: unknown }>
  }
}

export interface Operation {
  operationId: string
  summary: string
  description: string
  tags: string[]
  parameters: Parameter[]
  requestBody?: { required: boolean; content: Record<string, Media> }
  responses: Record<string, Answer | Reference>
}

interface Parameter {
  name: string
  in: string
  required: boolean
  description?: string
  example?: unknown
  schema: Schema
}

export interface Answer {
  description: string
  content?: Record<string, Media>
}

export interface Media {
  schema?: Schema
  example?: unknown
  examples?: Record<string, Reference>
}

export interface Reference {
  $ref: string
}

export interface Schema {
  $ref?: string
  type?: string
  description?: string
  examples?: unknown[]
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  oneOf?: Schema[]
  items?: Schema
  contentSchema?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  format?: string
  default?: unknown
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
}

/** One operation with its place. */
export interface Entry {
  method: string
  path: string
  operation: Operation
}

export const nameOf = (reference: string): string => reference.slice(reference.lastIndexOf('/') + 1)
