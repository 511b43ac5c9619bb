import { isJsonObject } from '@sandbox-jobs/contract/json-object.ts'
import { wrongFile } from './task-file.ts'

/*
 * Tools write JSON Schemas of draft-07, such as the SDK of MCP; the service takes draft 2020-12. Most schemas mean the same in
 * both, and then only the line that names the draft is changed. The text is changed and not the value, because a number may
 * have more digits than a parsed one.
 */

const current = 'https://json-schema.org/draft/2020-12/schema'
const draft07Line = /("\$schema"\s*:\s*)"https?:\/\/json-schema\.org\/draft-07\/schema#?"/

/** The change that a keyword needs; both drafts know it, or its like, with another meaning. */
const differing: Record<string, string> = {
  dependencies: 'write dependentRequired for names and dependentSchemas for schemas',
  additionalItems: 'it is items, beside prefixItems',
  ...Object.fromEntries(
    ['unevaluatedProperties', 'unevaluatedItems', 'dependentRequired', 'dependentSchemas']
      .concat(['prefixItems', 'minContains', 'maxContains', '$anchor', '$dynamicRef', '$dynamicAnchor'])
      .map((name) => [name, 'draft-07 ignores it']),
  ),
}
const annotations = new Set([
  'title',
  'description',
  'default',
  'examples',
  '$comment',
  'definitions',
  '$defs',
])
const ofNames = ['properties', 'patternProperties', 'definitions', '$defs', 'dependentSchemas']
const ofSchemas = ['allOf', 'anyOf', 'oneOf', 'items']
const ofOneSchema = [
  'items',
  'additionalProperties',
  'contains',
  'propertyNames',
  'not',
  'if',
  'then',
  'else',
]

export interface ConvertedSchema {
  text: string
  /** Remarks for the author, as sentences. */
  notes: string[]
}

/**
 * The schema as the service takes it. One of draft-07 that means something else in draft 2020-12 is an error that names each
 * keyword and its place; anything else stays as it is, for the service to judge.
 */
export function convertedSchema(text: string, file: string): ConvertedSchema {
  const schema = parsed(text)
  if (schema === undefined) return { text, notes: [] }
  const isDraft07 = draft07Line.test(text) && /draft-07/.test(String(schema.$schema))
  const found: Finding[] = []
  visit(schema, '', found)
  if (isDraft07) {
    const problems = found.filter(({ kind }) => kind === 'differs').map(({ words }) => words)
    if (problems.length > 0) {
      throw wrongFile(file, [
        'input_schema is of draft-07, and means something else in draft 2020-12:',
        ...problems,
      ])
    }
  }
  const notes = found.filter(({ kind }) => kind === 'ignored').map(({ words }) => words)
  if (!isDraft07) return { text, notes }
  return {
    text: text.replace(draft07Line, `$1"${current}"`),
    notes: [
      'The input schema is of draft-07 and published as draft 2020-12; both mean the same here.',
      ...notes,
    ],
  }
}

type Schema = Record<string, unknown>

/** `differs`: between the drafts. `ignored`: in both, though its author means something by it. */
interface Finding {
  kind: 'differs' | 'ignored'
  words: string
}

function parsed(text: string): Schema | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function visit(schema: unknown, at: string, found: Finding[]): void {
  if (!isJsonObject(schema)) return
  for (const [keyword, value] of Object.entries(schema)) {
    const pointer = `${at}/${keyword}`
    const cure = differenceOf(keyword, value, schema)
    if (cure !== undefined) found.push({ kind: 'differs', words: `${pointer}: ${cure}` })
    if (keyword === 'nullable' && value === true) {
      const type = typeof schema.type === 'string' ? schema.type : 'string'
      found.push({
        kind: 'ignored',
        words: `${pointer} is of OpenAPI and has no effect in JSON Schema: write type: [${type}, "null"].`,
      })
    }
    if (ofNames.includes(keyword) && isJsonObject(value)) {
      for (const [name, part] of Object.entries(value)) visit(part, `${pointer}/${name}`, found)
    } else if (ofSchemas.includes(keyword) && Array.isArray(value)) {
      for (const [index, part] of value.entries()) visit(part, `${pointer}/${index}`, found)
    } else if (ofOneSchema.includes(keyword)) visit(value, pointer, found)
  }
}

function differenceOf(keyword: string, value: unknown, schema: Schema): string | undefined {
  if (keyword === 'items' && Array.isArray(value)) return 'a list of schemas is prefixItems'
  if (keyword === '$id' && typeof value === 'string' && value.startsWith('#')) return 'it is $anchor'
  if (keyword === '$ref') {
    const beside = Object.keys(schema).filter((name) => name !== '$ref' && !annotations.has(name))
    const [first] = beside.filter((name) => name !== '$schema')
    return first === undefined ? undefined : `draft-07 ignores ${first} beside it`
  }
  return Object.hasOwn(differing, keyword) ? differing[keyword] : undefined
}
