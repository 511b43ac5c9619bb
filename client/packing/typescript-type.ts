import { isObject, type Json, type JsonObject, textOf } from '@sandbox-jobs/contract/openapi/json.ts'

const nameOf = (reference: string): string => reference.slice(reference.lastIndexOf('/') + 1)

/** A rendered schema as a TypeScript type. */
export function typeOf(schema: Json | undefined, indent = ''): string {
  if (!isObject(schema)) return 'unknown'
  if (typeof schema.$ref === 'string') return nameOf(schema.$ref)
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  const choices = schema.anyOf ?? schema.oneOf
  if (Array.isArray(choices)) return unionOf(choices.map((choice) => typeOf(choice, indent)))
  const simple = simpleTypes[textOf(schema.type)]
  if (simple) return simple
  if (schema.type === 'array') {
    const item = typeOf(schema.items, indent)
    return item.includes(' | ') ? `(${item})[]` : `${item}[]`
  }
  return schema.type === 'object' ? objectType(schema, indent) : 'unknown'
}

const simpleTypes: Record<string, string> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
}

/** A value that may be anything stays so beside any other type. */
const unionOf = (types: string[]): string => (types.includes('unknown') ? 'unknown' : types.join(' | '))

function objectType(schema: JsonObject, indent: string): string {
  if (!isObject(schema.properties)) {
    const [values] = isObject(schema.patternProperties) ? Object.values(schema.patternProperties) : []
    return `Record<string, ${typeOf(values ?? schema.additionalProperties, indent)}>`
  }
  const more = schema.additionalProperties === true ? [`${indent}  [field: string]: unknown`] : []
  return `{\n${[...fieldLines(schema, `${indent}  `), ...more].join('\n')}\n${indent}}`
}

/** The fields of an object type, each below its description. */
export function fieldLines({ properties, required }: JsonObject, indent: string): string[] {
  const all = isObject(properties) ? Object.entries(properties) : []
  return all.flatMap(([name, field]) => {
    const isRequired = Array.isArray(required) && required.includes(name)
    const { description } = isObject(field) ? field : {}
    const key = /^\w+$/.test(name) ? name : JSON.stringify(name)
    return [
      ...commentLines(textOf(description), indent),
      `${indent}${key}${isRequired ? '' : '?'}: ${typeOf(field, indent)}`,
    ]
  })
}

export function commentLines(text: string, indent: string): string[] {
  if (text === '') return []
  const lines = text.replaceAll('*/', '* /').split('\n')
  if (lines.length === 1) return [`${indent}/** ${lines[0]} */`]
  return [`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`.trimEnd()), `${indent} */`]
}
