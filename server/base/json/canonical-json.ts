import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'

/**
 * The canonical text of a JSON value (RFC 8785): sorted keys, no spaces, numbers as ECMAScript writes them. Throws on
 * values without a JSON form (`undefined`, NaN, a lone surrogate); values from `parseStrictJson` always have one.
 *
 * `JSON.stringify` writes the same text ten times as fast as the library if all keys are in order. An object cannot
 * always keep that order: integer-like keys come first, in numeric order. The library handles those values.
 */
export function canonicalJson(value: unknown): string {
  const ordered = isOrdered(value) ? value : orderedCopy(value)
  if (isOrdered(ordered)) return JSON.stringify(ordered)
  const text = canonicalize(value)
  if (text === undefined) throw new Error('the value has no JSON form')
  return text
}

type JsonObject = Record<string, unknown>

/** Whether all objects list their keys in order of UTF-16 code units, and every value has a JSON form. */
function isOrdered(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed()
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object') return typeof value === 'boolean'
  if (value === null) return true
  if (Array.isArray(value)) return value.every(isOrdered)
  let last: string | undefined
  for (const key in value) {
    if ((last !== undefined && last >= key) || !key.isWellFormed()) return false
    if (!isOrdered((value as JsonObject)[key])) return false
    last = key
  }
  return true
}

function orderedCopy(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(orderedCopy)
  const copy: JsonObject = {}
  for (const key of Object.keys(value).sort()) {
    const child = orderedCopy((value as JsonObject)[key])
    if (key === '__proto__') Object.defineProperty(copy, key, { value: child, enumerable: true })
    else copy[key] = child
  }
  return copy
}

/** `sha256:` and the hex digest of the canonical text: equal for equal values, however they are spelled. */
export const canonicalDigest = (value: unknown): string =>
  `sha256:${createHash('sha256').update(canonicalJson(value), 'utf8').digest('hex')}`
