/*
 * Values of JSON, which are replaced and never changed. Keys are of tenants: `__proto__` and `constructor` are keys like others.
 */

export type Json = null | boolean | number | string | Json[] | JsonObject
export interface JsonObject {
  [key: string]: Json
}
export type Path = readonly (string | number)[]

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const ownValue = (value: unknown, key: string): Json | undefined =>
  isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined

export function valueAt(value: Json | undefined, path: Path): Json | undefined {
  let at = value
  for (const key of path)
    at = typeof key === 'number' && Array.isArray(at) ? at[key] : ownValue(at, String(key))
  return at
}

/** The value with another one at the path; undefined removes it. Missing objects and lists on the way are made. */
export function withValueAt(value: Json | undefined, path: Path, next: Json | undefined): Json | undefined {
  const [key, ...rest] = path
  if (key === undefined) return next
  if (typeof key === 'number') {
    const list = Array.isArray(value) ? value : []
    const item = withValueAt(list[key], rest, next)
    return item === undefined ? list.toSpliced(key, 1) : [...list.slice(0, key), item, ...list.slice(key + 1)]
  }
  const fields = isObject(value) ? value : {}
  const field = withValueAt(ownValue(fields, key), rest, next)
  const others = Object.entries(fields)
  if (field === undefined) return Object.fromEntries(others.filter(([name]) => name !== key))
  return Object.hasOwn(fields, key)
    ? Object.fromEntries(others.map(([name, other]) => [name, name === key ? field : other]))
    : Object.fromEntries([...others, [key, field]])
}

export function areEqual(one: Json | undefined, other: Json | undefined): boolean {
  if (one === other) return true
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, at) => areEqual(item, other[at]))
  }
  if (!isObject(one) || !isObject(other)) return false
  const keys = Object.keys(one)
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && areEqual(one[key], other[key]))
  )
}

export const isPrefix = (path: Path, of: Path): boolean => path.every((key, at) => key === of[at])
