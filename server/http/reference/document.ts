/** The parts of the OpenAPI document that the reference page reads. `contract/openapi/document.ts` writes the document. */
export interface ApiDocument {
  info: { title: string; version: string }
  tags: { name: string }[]
  paths: Record<string, Record<string, Operation>>
  components: {
    schemas: Record<string, Schema>
    responses: Record<string, Answer>
  }
}

export interface Operation {
  operationId: string
  summary: string
  tags: string[]
  security: unknown[]
  parameters: { name: string; in: string; required: boolean; schema: Schema }[]
  requestBody?: { required: boolean; content: Record<string, { schema?: Schema }> }
  responses: Record<string, Answer | Reference>
}

export interface Answer {
  description: string
  content?: Record<string, { schema?: Schema }>
}

export interface Reference {
  $ref: string
}

export interface Schema {
  $ref?: string
  type?: string
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  format?: string
  default?: unknown
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
}

export const nameOf = (reference: string): string => reference.slice(reference.lastIndexOf('/') + 1)
