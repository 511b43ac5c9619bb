import { exampleOf } from '@sandbox-jobs/contract/openapi/example.ts'
import { isObject, type Json, type JsonObject, textOf } from '@sandbox-jobs/contract/openapi/json.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Route } from '@sandbox-jobs/contract/routes/route.ts'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { declarations } from './contract-declarations.ts'

/**
 * Parts that the API document leaves unexplained: operations and fields without a description, texts and numbers without an
 * example, and examples that do not satisfy their schemas. One line each, with the file and what to write there.
 */
export function unexplained(document: JsonObject): string[] {
  const api = new DescribedApi(document)
  api.checkSchemas()
  api.checkOperations()
  return [...new Set(api.problems)]
}

/** Where something stands: in the source, for people, and in the document. */
interface Place {
  file: string
  name: string
  pointer: string
}

class DescribedApi {
  readonly problems: string[] = []
  readonly #document: JsonObject
  readonly #ajv = formats.default(new Ajv2020({ strict: false, discriminator: true, validateSchema: false }))

  constructor(document: JsonObject) {
    this.#document = document
    this.#ajv.addSchema(document, 'api')
  }

  checkSchemas(): void {
    for (const [name, schema] of entries(objectAt(this.#document.components).schemas)) {
      const place = {
        file: declarations.schemas.get(name) ?? 'contract/resources',
        name,
        pointer: `/components/schemas/${name}`,
      }
      const before = this.problems.length
      this.#checkFields(schema, place)
      const { examples } = objectAt(this.#document.components)
      const example = objectAt(objectAt(examples)[name])
      this.#checkExample(example.value, place)
      if (before === this.problems.length && exampleOf(schema) === undefined)
        this.#report(place, howToExample)
    }
  }

  checkOperations(): void {
    for (const [path, methods] of entries(this.#document.paths)) {
      for (const [method, operation] of entries(methods)) {
        const name = textOf(objectAt(operation).operationId)
        const file = declarations.routes.get(name) ?? 'contract/routes'
        this.#checkOperation(objectAt(operation), {
          file,
          name,
          pointer: `/paths/${escaped(path)}/${method}`,
        })
      }
    }
  }

  #checkOperation(operation: JsonObject, place: Place): void {
    const route: Route | undefined = Object.entries<Route>(allRoutes).find(
      ([name]) => name === place.name,
    )?.[1]
    if (!route?.description) {
      this.#report(place, "has no description: add `description: '...'` below its summary")
    }
    for (const [at, parameter] of (operation.parameters as JsonObject[]).entries()) {
      const of = {
        ...place,
        name: `${place.name}, ${textOf(parameter.in)} parameter ${textOf(parameter.name)}`,
      }
      if (!parameter.description) this.#report(of, howToDescribe)
      else if (parameter.example === undefined) this.#report(of, howToExample)
      this.#checkExample(parameter.example, { ...of, pointer: `${of.pointer}/parameters/${at}/schema` })
    }
    const { requestBody, responses } = operation
    const success = entries(responses).filter(([status]) => status < '300')
    this.#checkContent(requestBody, { ...place, pointer: `${place.pointer}/requestBody` }, 'request')
    const shared = objectAt(objectAt(this.#document.components).responses)
    for (const [status, response] of success) {
      const name = /^#\/components\/responses\/(\w+)$/.exec(textOf(objectAt(response).$ref))?.[1]
      const pointer = name ? `/components/responses/${name}` : `${place.pointer}/responses/${status}`
      this.#checkContent(name ? shared[name] : response, { ...place, pointer }, 'response')
    }
  }

  #checkContent(described: Json | undefined, place: Place, part: 'request' | 'response'): void {
    for (const [type, media] of entries(objectAt(described).content)) {
      const of = {
        ...place,
        name: `${place.name}, ${part}`,
        pointer: `${place.pointer}/content/${escaped(type)}/schema`,
      }
      const { schema, example } = objectAt(media)
      if (schema === undefined) continue
      this.#checkFields(schema, of)
      this.#checkExample(example, of)
    }
  }

  /** Every field at any nesting; a reference is checked where it leads to. */
  #checkFields(schema: Json | undefined, place: Place): void {
    if (!isObject(schema)) return
    this.#checkExample(Array.isArray(schema.examples) ? schema.examples[0] : undefined, place)
    for (const [name, field] of entries(schema.properties)) {
      this.#checkField(objectAt(field), {
        ...place,
        name: `${place.name}.${name}`,
        pointer: `${place.pointer}/properties/${escaped(name)}`,
      })
    }
    for (const key of ['items', 'additionalProperties', 'contentSchema']) {
      this.#checkFields(schema[key], { ...place, pointer: `${place.pointer}/${key}` })
    }
    for (const key of ['anyOf', 'oneOf', 'allOf', 'patternProperties']) {
      for (const [at, choice] of entries(schema[key])) {
        this.#checkFields(choice, { ...place, pointer: `${place.pointer}/${key}/${escaped(at)}` })
      }
    }
  }

  #checkField(field: JsonObject, place: Place): void {
    if (!field.description) this.#report(place, howToDescribe)
    const before = this.problems.length
    this.#checkFields(field, place)
    if (before === this.problems.length && exampleOf(field) === undefined) this.#report(place, howToExample)
  }

  #checkExample(example: Json | undefined, place: Place): void {
    if (example === undefined) return
    const validate = this.#ajv.compile({ $ref: `api#${place.pointer}` })
    if (validate(example)) return
    const why = this.#ajv.errorsText(validate.errors, { dataVar: 'it' })
    this.#report(place, `has an example that does not satisfy its schema: ${why}`)
  }

  #report({ file, name }: Place, problem: string): void {
    this.problems.push(`${file}: ${name} ${problem}`)
  }
}
const howToDescribe =
  "has no description: wrap its schema, about('What it is, with its unit.', schema); about() is in contract/about.ts, described identifiers are in contract/identifiers.ts"
const howToExample =
  "has no example: give it one, about('What it is.', schema, example), or withExample(schema, example) for every field of this schema"

const objectAt = (value: Json | undefined): JsonObject => (isObject(value) ? value : {})
const entries = (value: Json | undefined): [string, Json][] =>
  typeof value === 'object' && value !== null ? Object.entries(value) : []
const escaped = (part: string): string => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))
