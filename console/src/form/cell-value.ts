import { exactNumber } from './exact-number.ts'
import type { Field } from './field.ts'
import type { Json } from './json.ts'

/** The value that a text of a cell means in a field; undefined if it is empty. A text that fits nothing stays text, which the check refuses. */
export function valueOfText(field: Field, text: string): Json | undefined {
  if (text === '') return undefined
  if (field.kind === 'number') return exactNumber(text) ?? text
  if (field.kind === 'flag') return flagOf(text) ?? text
  if (field.kind === 'choice') return field.options.find(({ label }) => label === text)?.value ?? text
  if (field.kind === 'constant') return field.value
  return text
}

const flagOf = (text: string): boolean | undefined =>
  ({ true: true, yes: true, '1': true, false: false, no: false, '0': false })[text.trim().toLowerCase()]

export function textOfValue(value: Json | undefined): string {
  if (value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}
