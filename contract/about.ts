import type { TSchema } from 'typebox'

/** Text of the API document about a schema, besides the schema itself. */
export interface About {
  description?: string
  /** A list, so that null can be an example. */
  examples?: [unknown]
  /** The schema that was described. */
  of: TSchema
}

const key = '~about'

/**
 * The schema with a description for the API document, with its unit if it has one, and an example. Both are hidden from
 * JSON and from validation, as TypeBox hides its own marks: a schema that is itself part of a response stays as it is.
 */
export const about = <S extends TSchema>(description: string, schema: S, ...examples: [] | [unknown]): S =>
  marked(schema, { description, ...(examples.length === 1 && { examples }) })

/** The schema with an example alone, which each field of it inherits. */
export const withExample = <S extends TSchema>(schema: S, example: unknown): S =>
  marked(schema, { examples: [example] })

export const aboutOf = (schema: unknown): About | undefined =>
  (schema as { [key]?: About } | undefined)?.[key]

function marked<S extends TSchema>(schema: S, text: Omit<About, 'of'>): S {
  const copy = Object.create(Object.getPrototypeOf(schema), Object.getOwnPropertyDescriptors(schema)) as S
  return Object.defineProperty(copy, key, {
    value: { ...aboutOf(schema), ...text, of: schema },
    configurable: true,
  })
}
