import { plainText } from '@sandbox-jobs/contract/plain-text.ts'
import type { Json } from './json.ts'

/** Longer texts of a schema are cut: a title is no book. */
export const [titleMax, helpMax, optionMax] = [200, 2000, 200]

/** A text that is marked where it is cut. */
export const cut = (text: string, max: number): string =>
  text.length > max ? `${text.slice(0, max)}…` : text

/** A text of the schema; undefined without one. */
export const textOf = (value: Json | undefined, max: number): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? plainText(cut(value, max)) : undefined

/** A value as the name of an option. */
export const labelOf = (value: Json): string =>
  plainText(cut(typeof value === 'string' ? value : JSON.stringify(value), optionMax))
