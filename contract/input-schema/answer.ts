import { removeUriSchemePlugin } from '@hyperjump/browser'
import {
  getAllRegisteredSchemaUris,
  InvalidSchemaError,
  type Output,
  registerSchema,
  type SchemaObject,
  setMetaSchemaOutputFormat,
  unregisterSchema,
  type Validator,
  validate,
} from '@hyperjump/json-schema/draft-2020-12'
import { addKeyword, getKeyword } from '@hyperjump/json-schema/experimental'
import { inputSchemaMaxBytes } from '../limits.ts'
import { problemsOfKeyword } from './input-words.ts'
import { linearPattern } from './linear-pattern.ts'
import { JsonRefused, parseStrictJson } from './strict-json.ts'
import { type Problem, problemsMax, type SchemaQuestion, type SchemaVerdict } from './verdict.ts'

/**
 * Answers one question about a tenant's JSON Schema (draft 2020-12). Runs in a separate thread that may be killed at any
 * moment, because a tenant's recursion and regular expressions with lookaround have no bound. Other regular expressions
 * run in linear time.
 *
 * The validator has one registry of schemas and dialects per thread, and a schema names itself by `$id`. To isolate tenants,
 * every schema is registered under a unique address and removed before the next one, dialects cannot be declared
 * (`$vocabulary`, another `$schema`), and the thread ends if the registry has changed. References are never fetched: the
 * fetching schemes (http, https, file) are removed, so a `$ref` finds only the schema itself and the meta-schemas.
 */
for (const scheme of ['http', 'https', 'file']) removeUriSchemePlugin(scheme)
setMetaSchemaOutputFormat('BASIC')

/** The keywords that contain regular expressions, in their compiled form. */
for (const name of ['pattern', 'patternProperties', 'additionalProperties']) {
  const keyword = getKeyword<unknown>(`https://json-schema.org/keyword/${name}`)
  addKeyword<unknown>({
    ...keyword,
    compile: async (...schema) => withLinearPatterns(await keyword.compile(...schema)),
  })
}

function withLinearPatterns(compiled: unknown): unknown {
  if (compiled instanceof RegExp) return linearPattern(compiled)
  return Array.isArray(compiled) ? compiled.map(withLinearPatterns) : compiled
}

const dialect = 'https://json-schema.org/draft/2020-12/schema'
const schemaBounds = { maxBytes: inputSchemaMaxBytes, maxDepth: 64, maxNodes: 20_000, acceptProto: true }
const compiledMax = 50

const knownAtStart = getAllRegisteredSchemaUris().length
interface Compiled {
  validate: Validator
  /** The schema itself; undefined if parts of it have addresses of their own, so that a path is ambiguous. */
  schema: unknown
}

/** Compiled schemas by their text, the most recently used last. */
const compiled = new Map<string, Compiled>()
let registered = 0

class SchemaRefused extends Error {
  readonly verdict: SchemaVerdict

  constructor(kind: 'schema_unreadable' | 'schema_invalid', problems: Problem[]) {
    super(kind)
    this.verdict = { kind, problems }
  }
}

const refused = (rule: string, at: Problem['at'] = []) => new SchemaRefused('schema_invalid', [{ at, rule }])

export async function answer(question: SchemaQuestion): Promise<SchemaVerdict> {
  try {
    const schema = await compiledSchema(question.schema)
    return question.instance === undefined
      ? { kind: 'valid' }
      : judge(schema, JSON.parse(textOf(question.instance)))
  } catch (error) {
    if (error instanceof SchemaRefused) return error.verdict
    throw error
  }
}

const textOf = (instance: string | Uint8Array): string =>
  typeof instance === 'string' ? instance : new TextDecoder('utf-8', { ignoreBOM: true }).decode(instance)

async function compiledSchema(text: string): Promise<Compiled> {
  const known = compiled.get(text)
  compiled.delete(text)
  const current = known ?? (await compile(readSchema(text)))
  compiled.set(text, current)
  const oldest = compiled.keys().next().value
  if (compiled.size > compiledMax && oldest !== undefined) compiled.delete(oldest)
  return current
}

function readSchema(text: string): SchemaObject {
  let schema: unknown
  try {
    schema = parseStrictJson(new TextEncoder().encode(text), schemaBounds)
  } catch (error) {
    if (!(error instanceof JsonRefused)) throw error
    throw new SchemaRefused('schema_unreadable', [{ at: error.path, rule: error.slug }])
  }
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) throw refused('not_an_object')
  refuseOtherDialects(schema, [])
  return schema as SchemaObject
}

function refuseOtherDialects(node: unknown, at: Problem['at']): void {
  if (typeof node !== 'object' || node === null) return
  for (const [key, value] of Object.entries(node)) {
    const here = [...at, Array.isArray(node) ? Number(key) : key]
    const otherDialect =
      key === '$schema' && typeof value === 'string' && value !== dialect && value !== `${dialect}#`
    if (otherDialect) throw refused('not_draft_2020_12', here)
    if (key === '$vocabulary') throw refused('vocabulary_forbidden', here)
    refuseOtherDialects(value, here)
  }
}

/** Compiles and runs once on null, which detects infinite references. */
async function compile(schema: SchemaObject): Promise<Compiled> {
  registered += 1
  const address = `https://schema.invalid/${registered}`
  let result: Validator | SchemaRefused
  try {
    registerSchema(schema, address, dialect)
    result = await validate(address)
    result(null)
  } catch (error) {
    result = refusalOf(error)
  }
  unregisterSchema(address)
  if (getAllRegisteredSchemaUris().length !== knownAtStart) throw new Error('the schema registry has changed')
  if (result instanceof SchemaRefused) throw result
  return { validate: result, schema: hasInnerAddress(schema) ? undefined : schema }
}

/** Whether a part of the schema below its root has an `$id`. */
function hasInnerAddress(schema: object): boolean {
  return Object.values(schema).some(
    (part) => typeof part === 'object' && part !== null && ('$id' in part || hasInnerAddress(part)),
  )
}

function refusalOf(error: unknown): SchemaRefused {
  if (error instanceof InvalidSchemaError) {
    return new SchemaRefused('schema_invalid', problemsOf(error.output, schemaProblem))
  }
  return refused(error instanceof RangeError ? 'endless_reference' : reasonOf(error))
}

/** The validator's messages quote the schema, so only the error class is used. */
function reasonOf(error: unknown): string {
  if (error instanceof SyntaxError) return 'regular_expression'
  return error instanceof Error && error.name === 'RetrievalError' ? 'unresolvable_reference' : 'unusable'
}

function judge({ validate: validator, schema }: Compiled, value: unknown): SchemaVerdict {
  try {
    const json = value as Parameters<Validator>[0]
    if (validator(json).valid) return { kind: 'valid' }
    return { kind: 'instance_invalid', problems: inputProblems(validator(json, 'BASIC'), schema, value) }
  } catch (error) {
    if (error instanceof RangeError) return { kind: 'too_costly' }
    throw error
  }
}

type Unit = { keyword: string; absoluteKeywordLocation: string; instanceLocation: string }

const unitsOf = (output: Output): Unit[] => ('errors' in output ? (output.errors ?? []) : [])

const problemsOf = (output: Output, render: (unit: Unit) => Problem): Problem[] =>
  unitsOf(output).slice(0, problemsMax).map(render)

/** The branches of a failed choice are left out: the problem of the choice stands for them. */
function inputProblems(output: Output, schema: unknown, input: unknown): Problem[] {
  const choices: string[] = []
  const problems: Problem[] = []
  for (const unit of unitsOf(output)) {
    const { keyword, absoluteKeywordLocation: location, instanceLocation } = unit
    if (choices.some((choice) => location.startsWith(choice))) continue
    const name = nameOf(keyword)
    if (name === 'anyOf' || name === 'oneOf') choices.push(`${location}/`)
    problems.push(
      ...problemsOfKeyword({ name, path: pathOf(location), at: pathOf(instanceLocation) }, schema, input),
    )
    if (problems.length >= problemsMax) break
  }
  return problems.slice(0, problemsMax)
}

/** A problem of a schema, which is an instance of its meta-schema. */
const schemaProblem = (unit: Unit): Problem => ({
  at: pathOf(unit.instanceLocation),
  rule: nameOf(unit.keyword),
})

const nameOf = (keyword: string): string => keyword.slice(keyword.lastIndexOf('/') + 1)

const pathPartMaxLength = 128
const bounded = (text: string) =>
  text.length > pathPartMaxLength ? `${text.slice(0, pathPartMaxLength)}…` : text

const fragmentOf = (location: string): string =>
  decodeURIComponent(location.slice(location.indexOf('#') + 1 || location.length))

function pathOf(location: string): Problem['at'] {
  const segments = fragmentOf(location).split('/').slice(1)
  return segments.map((segment) => {
    const key = segment.replaceAll('~1', '/').replaceAll('~0', '~')
    return /^(0|[1-9]\d{0,8})$/.test(key) ? Number(key) : bounded(key)
  })
}
