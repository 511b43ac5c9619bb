import type { TSchema } from 'typebox'
import { aboutOf } from '../about.ts'
import { CodedErrorBody, ValidationError } from '../errors/validation-error.ts'
import { namedSchemas } from '../resources/index.ts'
import { isObject, type Json, type JsonObject } from './json.ts'

/** The schemas that the document has by name. */
export const components: Record<string, TSchema> = { ...namedSchemas, CodedErrorBody, ValidationError }
const namesBySchema = new Map<unknown, string>(
  Object.entries(components).map(([name, schema]) => [schema, name]),
)

/** The name of the schema in the document, also if it is described again where it is used. */
export function nameOf(schema: unknown): string | undefined {
  const of = aboutOf(schema)?.of
  return namesBySchema.get(schema) ?? (of && nameOf(of))
}

/** A schema as JSON with what `about()` says of it. Named schemas become references, found by identity at any nesting. */
export function renderSchema(schema: unknown): Json {
  const name = nameOf(schema)
  return described(schema, name === undefined ? childrenOf(schema) : { $ref: `#/components/schemas/${name}` })
}

/** The same of a named schema itself. */
export const renderNamed = (schema: TSchema): Json => described(schema, childrenOf(schema))

function described(schema: unknown, rendered: Json): Json {
  const { description, examples } = aboutOf(schema) ?? {}
  if (description === undefined && examples === undefined) return rendered
  return {
    ...(rendered as JsonObject),
    ...(description && { description }),
    ...(examples && { examples: examples as Json[] }),
  }
}

function childrenOf(value: unknown): Json {
  if (Array.isArray(value)) return value.map(renderSchema)
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([key, child]) => [
        key,
        key === 'properties' ? fieldsOf(child) : renderSchema(child),
      ]),
    )
  }
  return value as Json
}

/** A default becomes words: generators of types take a field with `default` for one that is always there. */
function fieldsOf(properties: object): Json {
  return Object.fromEntries(
    Object.entries(properties).map(([name, field]) => {
      const rendered = renderSchema(field)
      if (!isObject(rendered) || rendered.default === undefined) return [name, rendered]
      const { default: value, ...rest } = rendered
      const said = typeof rest.description === 'string' ? `${rest.description} ` : ''
      return [name, { ...rest, description: `${said}The default is \`${JSON.stringify(value)}\`.` }]
    }),
  )
}
