/** Parts of the search of an address. */

const dayForm = /^\d{4}-\d{2}-\d{2}$/

/** A day as `YYYY-MM-DD`; undefined for anything else. */
export const dayOf = (value: unknown): string | undefined =>
  typeof value === 'string' && dayForm.test(value) && !Number.isNaN(Date.parse(value)) ? value : undefined

type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

/** The same without the fields that are undefined. */
export const present = <T extends object>(fields: T): Present<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<T>
