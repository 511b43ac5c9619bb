/*
 * Parts of the search of an address, which anybody may have written: what has another form is left out. The router reads `?name=5` as a
 * number.
 */

export const textMaxLength = 256
const dayForm = /^\d{4}-\d{2}-\d{2}$/
const timeForm = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/

/** A text that is not empty. */
export function textIn(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined
  const text = String(value).trim()
  return text !== '' && text.length <= textMaxLength ? text : undefined
}

/** Values of a closed set, of which an address has one or a list. */
export function valuesIn<Value extends string>(value: unknown, all: readonly Value[]): Value[] | undefined {
  const found = all.filter((each) => (Array.isArray(value) ? value.includes(each) : value === each))
  return found.length > 0 ? found : undefined
}

/** A day as `YYYY-MM-DD`. */
export const dayIn = (value: unknown): string | undefined => dateIn(value, dayForm)

/** A time as `YYYY-MM-DDTHH:MM`. */
export const timeIn = (value: unknown): string | undefined => dateIn(value, timeForm)

const dateIn = (value: unknown, form: RegExp): string | undefined =>
  typeof value === 'string' && form.test(value) && !Number.isNaN(Date.parse(value)) ? value : undefined

type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

/** The same without the fields that are undefined. */
export const present = <T extends object>(fields: T): Present<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<T>

/** The filter by name of a list, as the address has it. */
export const readName = (search: Record<string, unknown>): { name?: string } =>
  present({ name: textIn(search.name) })
