/*
 * Parts of the search of an address, which anybody may have written: what has another form is left out. The router reads `?name=5` as a
 * number.
 */

export const textMaxLength = 256
const dayForm = /^\d{4}-\d{2}-\d{2}$/

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
export const dayIn = (value: unknown): string | undefined =>
  typeof value === 'string' && dayForm.test(value) && !Number.isNaN(Date.parse(value)) ? value : undefined

type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

/** The same without the fields that are undefined. */
export const present = <T extends object>(fields: T): Present<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<T>
