import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'

/**
 * The one text of a JSON value (RFC 8785): sorted keys, no spaces, numbers as ECMAScript writes them.
 * Throws on what has no JSON form (`undefined`, NaN, half of a surrogate pair); values from
 * `parseStrictJson` always have one.
 */
export function canonicalJson(value: unknown): string {
  const text = canonicalize(value)
  if (text === undefined) throw new Error('the value has no JSON form')
  return text
}

/** `sha256:` and the hex digest of the canonical text: equal for equal values, whatever their spelling. */
export const canonicalDigest = (value: unknown): string =>
  `sha256:${createHash('sha256').update(canonicalJson(value), 'utf8').digest('hex')}`
