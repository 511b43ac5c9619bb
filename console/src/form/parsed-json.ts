import {
  type JsonBounds,
  type JsonRefusal,
  JsonRefused,
  parseStrictJson,
} from '@sandbox-jobs/contract/input-schema/strict-json.ts'
import type { Json } from './json.ts'

export type ParsedJson =
  /** Nothing but spaces is no value. */
  { kind: 'parsed'; value: Json | undefined } | { kind: 'refused'; line: number; refusal: JsonRefusal }

/** Parses text as the service does: no key twice, no number that loses digits, nothing beyond the bounds. */
export function parsedJson(text: string, bounds: JsonBounds): ParsedJson {
  if (text.trim() === '') return { kind: 'parsed', value: undefined }
  const bytes = new TextEncoder().encode(text)
  try {
    return { kind: 'parsed', value: parseStrictJson(bytes, bounds) as Json }
  } catch (error) {
    if (!(error instanceof JsonRefused)) throw error
    const before = new TextDecoder().decode(bytes.subarray(0, error.at))
    return { kind: 'refused', line: before.split('\n').length, refusal: error.slug }
  }
}
