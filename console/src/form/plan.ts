import { type ChosenKinds, type Control, type Field, keyOf } from './field.ts'
import { CannotPlan, flatten, type Whole } from './flatten.ts'
import { isObject, type Json, type JsonObject, ownValue, type Path } from './json.ts'
import { branchesOf, discriminatorOf, firstFit, kindTitle, withoutNull } from './plan-branches.ts'
import { baseOf } from './plan-field.ts'
import { extraSchemaOf, isRow } from './plan-rows.ts'
import { optionsOf, scalarOf } from './plan-scalar.ts'
import { emptyContainer, emptyOf, isContainer, startOf, typesOf } from './plan-types.ts'

/*
 * The fields that fill in a value of a schema (draft 2020-12), planned from the schema and the present value, since conditions and
 * lists depend on it. The work is bounded whatever the schema: what is deeper or larger becomes a field of JSON.
 */

const depthMax = 16
export const fieldsMax = 500

export interface Plan {
  root: Field
  /** All fields by their number. */
  fields: Field[]
}

/** Never throws: what cannot be planned is a field of JSON with the reason. */
export function planForm(schema: unknown, value: Json | undefined, chosen: ChosenKinds = new Map()): Plan {
  const planner = new Planner(schema, chosen)
  const root = planner.field(schema, { path: [], value, isRequired: true, depth: 0, name: '' })
  if (planner.fields.length <= fieldsMax) return { root, fields: planner.fields }
  const whole: Field = {
    ...baseOf({}, { path: [], isRequired: true, name: '' }),
    number: 0,
    kind: 'json',
    reason: 'too_many_fields',
  }
  return { root: whole, fields: [whole] }
}

interface Situation {
  path: Path
  value: Json | undefined
  isRequired: boolean
  depth: number
  /** The name of the property, which is the title of a field without one. */
  name: string
}

/** Far more than a form of 500 fields needs. */
const mergesMax = 200_000

class Planner {
  readonly #whole: Whole
  readonly #chosen: ChosenKinds
  readonly fields: Field[] = []

  constructor(root: unknown, chosen: ChosenKinds) {
    this.#whole = { root, budget: { left: mergesMax } }
    this.#chosen = chosen
  }

  field(schema: unknown, at: Situation): Field {
    const number = this.fields.length
    const placeholder: Field = { ...baseOf({}, at), number, kind: 'json', reason: 'any_value' }
    this.fields.push(placeholder)
    const field = this.#planned(schema, at, number)
    this.fields[number] = field
    return field
  }

  #planned(schema: unknown, at: Situation, number: number): Field {
    let flat: JsonObject = {}
    try {
      if (at.depth > depthMax) throw new CannotPlan('too_deep')
      if (this.fields.length > fieldsMax) throw new CannotPlan('too_many_fields')
      flat = flatten(schema, this.#whole, at.value)
      const base = { ...baseOf(flat, at), number }
      const isClosed = !at.isRequired && at.value === undefined && isContainer(flat)
      if (isClosed) return { ...base, ...emptyContainer(flat), isClosed, start: startOf(flat) }
      return { ...base, ...this.#control(flat, at), start: startOf(flat) }
    } catch (error) {
      if (!(error instanceof CannotPlan)) throw error
      return { ...baseOf(flat, at), number, kind: 'json', reason: error.reason }
    }
  }

  #control(flat: JsonObject, at: Situation): Control {
    if (flat.not !== undefined || flat.unevaluatedItems !== undefined) throw new CannotPlan('negation')
    if (Object.hasOwn(flat, 'const')) return { kind: 'constant', value: flat.const ?? null }
    const options = optionsOf(flat)
    if (options) return { kind: 'choice', options }
    const choice = branchesOf(flat)
    const valueOrNull = choice && withoutNull(choice)
    if (valueOrNull) {
      const field = at.value === null ? undefined : this.field(valueOrNull, { ...at, depth: at.depth + 1 })
      return { kind: 'nullable', field, template: null }
    }
    if (choice) return this.#kinds(flat, choice, at)
    const types = typesOf(flat)
    if (types.includes('null') && types.length === 2) return this.#nullable(flat, types, at)
    const [type, ...more] = types
    if (type === undefined) throw new CannotPlan('any_value')
    if (more.length > 0) throw new CannotPlan('mixed_types')
    if (type === 'object') return this.#object(flat, at)
    if (type === 'array') return this.#list(flat, at)
    return scalarOf(flat, type)
  }

  #nullable(flat: JsonObject, types: string[], at: Situation): Control {
    const template: JsonObject = { ...flat, type: types.find((type) => type !== 'null') ?? 'null' }
    const field = at.value === null ? undefined : this.field(template, { ...at, depth: at.depth + 1 })
    return { kind: 'nullable', field, template: emptyOf(template) }
  }

  #kinds(
    flat: JsonObject,
    { base, branches }: { base: JsonObject; branches: Json[] },
    at: Situation,
  ): Control {
    const flats = branches.map((branch) => flatten(branch, this.#whole, at.value))
    const asked = this.#chosen.get(keyOf(at.path)) ?? firstFit(flats, at.value)
    const chosen = Math.min(asked, branches.length - 1)
    const discriminator = discriminatorOf(flats)
    const titles = flats.map((branch, index) => kindTitle(branch, { discriminator, index }))
    const common = Object.keys(isObject(flat.properties) ? flat.properties : {})
    const branch = branches[chosen] ?? {}
    const within = { ...at, isRequired: true, depth: at.depth + 1, name: titles[chosen] ?? at.name }
    const field = this.field(Object.keys(base).length > 0 ? { allOf: [base, branch] } : branch, within)
    return { kind: 'kinds', titles, chosen, field, keeps: common }
  }

  #object(flat: JsonObject, at: Situation): Control {
    const properties = isObject(flat.properties) ? flat.properties : {}
    const required = Array.isArray(flat.required) ? flat.required : []
    const fieldAt = (name: string, schema: unknown, isRequired: boolean) =>
      this.field(schema, {
        path: [...at.path, name],
        value: ownValue(at.value, name),
        isRequired,
        depth: at.depth + 1,
        name,
      })
    const fields = Object.entries(properties)
      .slice(0, fieldsMax + 1)
      .map(([name, property]) => fieldAt(name, property, required.includes(name)))
    const others = Object.keys(isObject(at.value) ? at.value : {}).filter(
      (name) => !Object.hasOwn(properties, name),
    )
    const extraSchema = extraSchemaOf(flat)
    if (others.length === 0 && extraSchema === undefined) return { kind: 'object', fields }
    const extra = others.slice(0, fieldsMax + 1).map((name) => fieldAt(name, extraSchema ?? true, true))
    return { kind: 'object', fields, extra: { fields: extra, canAdd: extraSchema !== undefined } }
  }

  #list(flat: JsonObject, at: Situation): Control {
    const values = Array.isArray(at.value) ? at.value : []
    const prefix = Array.isArray(flat.prefixItems) ? flat.prefixItems : []
    const items = flat.items ?? true
    const itemFlat = items === false ? undefined : flatten(items, this.#whole, undefined)
    if (prefix.length === 0 && itemFlat) {
      const options = flat.uniqueItems === true ? optionsOf(itemFlat) : undefined
      if (options) return { kind: 'choices', options }
      if (isRow(itemFlat, this.#whole)) return this.#table(itemFlat, values.length, at)
    }
    const count = Math.max(values.length, Math.min(prefix.length, fieldsMax))
    const drawn = Array.from({ length: Math.min(count, fieldsMax + 1) }, (_, index) =>
      this.field(prefix[index] ?? items, {
        path: [...at.path, index],
        value: values[index],
        isRequired: true,
        depth: at.depth + 1,
        name: '',
      }),
    )
    return {
      kind: 'list',
      items: drawn,
      canAdd: items !== false,
      fixed: prefix.length,
      itemStart: itemFlat ? startOf(itemFlat) : null,
    }
  }

  /** The columns are planned once, as fields of a row without a value. */
  #table(itemFlat: JsonObject, rows: number, at: Situation): Control {
    const row = this.#object(itemFlat, { ...at, value: {}, depth: at.depth + 1, isRequired: true })
    return { kind: 'table', columns: row.kind === 'object' ? row.fields : [], rows, canAdd: true }
  }
}
