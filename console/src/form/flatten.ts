import { fits } from './fits.ts'
import { areEqual, isObject, type Json, type JsonObject, ownValue } from './json.ts'

/*
 * One schema without references, conditions and parts: what a form draws. The validator decides what conforms; a part that is lost
 * here is a control that is less helpful, never a value that is wrong.
 */

/** Why a part of a schema has no controls of its own. */
export type NoPlan =
  | 'any_value'
  | 'no_value'
  | 'mixed_types'
  | 'contradiction'
  | 'unknown_reference'
  | 'endless_reference'
  | 'negation'
  | 'too_deep'
  | 'too_many_fields'

export class CannotPlan extends Error {
  readonly reason: NoPlan

  constructor(reason: NoPlan) {
    super(reason)
    this.reason = reason
  }
}

const partsMax = 200

/** Keywords and properties that may be merged in all; the same parts can be merged again for each field. */
export interface MergeBudget {
  left: number
}

export interface Whole {
  /** The schema that references are into. */
  root: unknown
  budget: MergeBudget
}

/** Merges all that applies to `value`; throws `CannotPlan`. */
export function flatten(schema: unknown, whole: Whole, value: Json | undefined): JsonObject {
  return new Flattening(whole, value).flat(schema, new Set())
}

class Flattening {
  readonly #root: unknown
  readonly #budget: MergeBudget
  readonly #value: Json | undefined
  #parts = 0

  constructor({ root, budget }: Whole, value: Json | undefined) {
    this.#root = root
    this.#budget = budget
    this.#value = value
  }

  flat(schema: unknown, references: ReadonlySet<string>): JsonObject {
    this.#parts += 1
    if (this.#parts > partsMax) throw new CannotPlan('endless_reference')
    this.#budget.left -= sizeOf(schema)
    if (this.#budget.left < 0) throw new CannotPlan('too_many_fields')
    if (schema === true) return {}
    if (!isObject(schema)) throw new CannotPlan('no_value')
    const { own, applied } = divided(schema)
    let merged = own
    for (const name of ['$ref', '$dynamicRef']) {
      const reference = applied[name]
      if (typeof reference !== 'string') continue
      if (references.has(reference)) throw new CannotPlan('endless_reference')
      const target = this.flat(targetOf(reference, this.#root), new Set([...references, reference]))
      merged = merge(merged, target)
    }
    for (const part of this.#partsOf(applied)) merged = merge(merged, this.flat(part, references))
    return merged
  }

  /** The parts that apply beside the schema itself. */
  #partsOf({ allOf, dependentSchemas, dependentRequired, ...applied }: JsonObject): Json[] {
    const parts = Array.isArray(allOf) ? [...allOf] : []
    if (applied.if !== undefined) {
      const isMet = fits(applied.if, this.#value ?? {})
      const chosen = isMet === undefined ? undefined : isMet ? applied.then : applied.else
      if (chosen !== undefined) parts.push(chosen)
    }
    const isThere = (name: string) => ownValue(this.#value, name) !== undefined
    for (const [name, part] of Object.entries(isObject(dependentSchemas) ? dependentSchemas : {})) {
      if (isThere(name)) parts.push(part)
    }
    for (const [name, required] of Object.entries(isObject(dependentRequired) ? dependentRequired : {})) {
      if (isThere(name)) parts.push({ required })
    }
    return parts
  }
}

const sizeOf = (schema: unknown): number =>
  isObject(schema) ? 1 + Object.keys(schema).length + Object.keys(Object(schema.properties)).length : 1

const appliedKeywords = new Set([
  ...['$ref', '$dynamicRef', 'allOf', 'if', 'then', 'else', 'dependentSchemas', 'dependentRequired'],
])

function divided(schema: JsonObject): { own: JsonObject; applied: JsonObject } {
  const entries = Object.entries(schema)
  return {
    own: Object.fromEntries(entries.filter(([name]) => !appliedKeywords.has(name))),
    applied: Object.fromEntries(entries.filter(([name]) => appliedKeywords.has(name))),
  }
}

/** The target of a reference within the schema: all of it, a path or a name. */
function targetOf(reference: string, root: unknown): unknown {
  if (reference === '#') return root
  const target = reference.startsWith('#/')
    ? pathTarget(reference, root)
    : reference.startsWith('#')
      ? anchored(reference.slice(1), root, { left: 5000 })
      : undefined
  if (target === undefined) throw new CannotPlan('unknown_reference')
  return target
}

function pathTarget(reference: string, root: unknown): unknown {
  let at: unknown = root
  for (const segment of reference.slice(2).split('/')) {
    const key = decoded(segment).replaceAll('~1', '/').replaceAll('~0', '~')
    at = Array.isArray(at) ? at[Number(key)] : ownValue(at, key)
  }
  return at
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** The part of the schema with the name. */
function anchored(name: string, at: unknown, budget: { left: number }): unknown {
  budget.left -= 1
  if (typeof at !== 'object' || at === null || budget.left < 0) return undefined
  if (ownValue(at, '$anchor') === name || ownValue(at, '$dynamicAnchor') === name) return at
  for (const part of Object.values(at)) {
    const found = anchored(name, part, budget)
    if (found !== undefined) return found
  }
  return undefined
}

const lower = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties', 'maxContains']
const higher = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties', 'minContains']

/** A schema that demands both. Texts and everything without a way to merge are those of the first. */
function merge(one: JsonObject, other: JsonObject): JsonObject {
  const merged: [string, Json][] = Object.entries({ ...other, ...one })
  return Object.fromEntries(
    merged.map(([name, value]) => {
      const [mine, theirs] = [ownValue(one, name), ownValue(other, name)]
      return [name, mine === undefined || theirs === undefined ? value : mergeKeyword(name, mine, theirs)]
    }),
  )
}

function mergeKeyword(name: string, mine: Json, theirs: Json): Json {
  if (name === 'type') return commonTypes(mine, theirs)
  if (name === 'required') return [...new Set([mine, theirs].flat())]
  if (name === 'enum' && Array.isArray(mine) && Array.isArray(theirs)) {
    return someOf(mine.filter((value) => theirs.some((their) => areEqual(value, their))))
  }
  if (name === 'const' && !areEqual(mine, theirs)) throw new CannotPlan('contradiction')
  if ((name === 'properties' || name === 'patternProperties') && isObject(mine) && isObject(theirs)) {
    return mergeProperties(mine, theirs)
  }
  if (typeof mine === 'number' && typeof theirs === 'number') {
    if (lower.includes(name)) return Math.min(mine, theirs)
    if (higher.includes(name)) return Math.max(mine, theirs)
  }
  const isUnmergeable = name === 'oneOf' || name === 'anyOf' || name === 'items' || name === 'prefixItems'
  if (isUnmergeable && !areEqual(mine, theirs)) throw new CannotPlan('contradiction')
  return mine
}

function commonTypes(mine: Json, theirs: Json): Json {
  const allowed = [theirs].flat()
  const common = [mine]
    .flat()
    .filter((type) => allowed.includes(type) || (type === 'integer' && allowed.includes('number')))
  if (common.length === 0 && [mine].flat().includes('number') && allowed.includes('integer')) return 'integer'
  const [only, ...more] = someOf(common)
  return more.length === 0 && only !== undefined ? only : common
}

function someOf<Value>(values: Value[]): Value[] {
  if (values.length === 0) throw new CannotPlan('contradiction')
  return values
}

const mergeProperties = (mine: JsonObject, theirs: JsonObject): JsonObject =>
  Object.fromEntries([
    ...Object.entries(mine).map(([name, property]): [string, Json] => {
      const their = ownValue(theirs, name)
      return [name, their === undefined ? property : { allOf: [property, their] }]
    }),
    ...Object.entries(theirs).filter(([name]) => !Object.hasOwn(mine, name)),
  ])
