import type { TSchema } from 'typebox'
import type { Route } from '../routes/route.ts'
import { exampleOf } from './example.ts'
import type { JsonObject } from './json.ts'
import { nameOf, renderSchema } from './render-schema.ts'

/** A JSON body of the document: its schema, and the example that all bodies of this schema share. */
export function mediaOf(schema: TSchema): JsonObject {
  const name = nameOf(schema)
  return {
    schema: renderSchema(schema),
    ...(name && { examples: { [name]: { $ref: `#/components/examples/${name}` } } }),
  }
}

/** The examples of all bodies of requests and successful responses, by the names of their schemas. */
export function bodyExamples(routes: Route[]): JsonObject {
  const bodies = routes
    .flatMap(({ body, response }) => [body, response])
    .filter((schema) => schema !== undefined)
  const examples = bodies.flatMap((schema): [string, JsonObject][] => {
    const name = nameOf(schema)
    const value = exampleOf(renderSchema(schema))
    return name === undefined || value === undefined ? [] : [[name, { value }]]
  })
  return Object.fromEntries(examples.sort(([one], [other]) => (one < other ? -1 : 1)))
}
