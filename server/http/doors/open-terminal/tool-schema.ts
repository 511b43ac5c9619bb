import type { TSchema } from 'typebox'

/* A schema as models are offered it: what a value is, without the bounds that the request is checked against. */

/** Some services of models compile a schema to a grammar, and refuse patterns and large bounds. */
const kept = ['type', 'description', 'enum', 'required', 'minimum'] as const

interface AnySchema extends Partial<Record<(typeof kept)[number], unknown>> {
  properties?: Record<string, TSchema>
  patternProperties?: Record<string, TSchema>
  items?: TSchema
  anyOf?: TSchema[]
}

export function toolSchema(schema: TSchema): Record<string, unknown> {
  const { properties, patternProperties, items, anyOf, ...fields } = schema as AnySchema
  const shown = kept.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]] as const]))
  const [ofAnyName] = Object.values(patternProperties ?? {})
  return {
    ...Object.fromEntries(shown),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [name, toolSchema(property)]),
      ),
    }),
    ...(ofAnyName && { additionalProperties: toolSchema(ofAnyName) }),
    ...(items && { items: toolSchema(items) }),
    ...(anyOf && { anyOf: anyOf.map((one) => toolSchema(one)) }),
  }
}
