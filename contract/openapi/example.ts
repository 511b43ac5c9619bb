import { isObject, type Json, type JsonObject } from './json.ts'
import { components, renderNamed } from './render-schema.ts'

const named = '#/components/schemas/'

/**
 * An example of a rendered schema: its own, or one made from those of its fields. Undefined if a text or a number in it
 * has none.
 */
export function exampleOf(schema: Json | undefined): Json | undefined {
  if (!isObject(schema)) return undefined
  const { examples, enum: values, anyOf, oneOf, $ref } = schema
  if (Array.isArray(examples)) return examples[0]
  if (schema.const !== undefined) return schema.const
  if (schema.default !== undefined) return schema.default
  if (Array.isArray(values)) return values[0]
  if (typeof $ref === 'string') return exampleOfNamed($ref.slice(named.length))
  const [first] = [anyOf, oneOf].flatMap((choice) => (Array.isArray(choice) ? choice : []))
  return first === undefined ? exampleOfType(schema) : exampleOf(first)
}

function exampleOfNamed(name: string): Json | undefined {
  const schema = components[name]
  return schema && exampleOf(renderNamed(schema))
}

function exampleOfType(schema: JsonObject): Json | undefined {
  if (schema.type === 'boolean') return true
  if (schema.type === 'null') return null
  if (schema.type === 'object') return exampleOfFields(schema)
  const item = schema.type === 'array' ? exampleOf(schema.items) : undefined
  return item === undefined ? undefined : [item]
}

/** An optional field that is null or empty is left out, as a client would. */
function exampleOfFields({ properties, required }: JsonObject): JsonObject | undefined {
  if (!isObject(properties)) return undefined
  const fields: JsonObject = {}
  for (const [name, field] of Object.entries(properties)) {
    const example = exampleOf(field)
    if (example === undefined) return undefined
    const isRequired = Array.isArray(required) && required.includes(name)
    if (isRequired || (example !== null && example !== '')) fields[name] = example
  }
  return fields
}
