import { type ChosenKinds, type Field, keyOf } from './field.ts'
import { isObject, type Json } from './json.ts'

/** The kinds that the person chose, and what was filled in for those that are not chosen now, until the form is left. */
export class KindMemory {
  chosen: ChosenKinds = new Map()
  readonly #values = new Map<string, Json | undefined>()

  /** The value of the field as the other kind: what it was, and the values of the common properties now. */
  choose(field: Extract<Field, { kind: 'kinds' }>, kind: number, value: Json | undefined): Json | undefined {
    const key = keyOf(field.path)
    this.#values.set(`${key}${field.chosen}`, value)
    this.chosen = new Map([...this.chosen, [key, kind]])
    const before = this.#values.get(`${key}${kind}`)
    if (!isObject(value)) return before
    const common = Object.entries(value).filter(([name]) => field.keeps.includes(name))
    return { ...(isObject(before) ? before : {}), ...Object.fromEntries(common) }
  }
}
