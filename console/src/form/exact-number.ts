import { JsonRefused, parseStrictJson } from '@sandbox-jobs/contract/input-schema/strict-json.ts'

const bounds = { maxBytes: 400, maxDepth: 1, maxNodes: 1 }

/** A number as the service reads it; undefined if it is none, or would lose digits. */
export function exactNumber(text: string): number | undefined {
  try {
    const value = parseStrictJson(new TextEncoder().encode(text.trim()), bounds)
    return typeof value === 'number' ? value : undefined
  } catch (error) {
    if (error instanceof JsonRefused) return undefined
    throw error
  }
}

/** Whether a text is a number that no program keeps as it is written. */
export function losesDigits(text: string): boolean {
  try {
    parseStrictJson(new TextEncoder().encode(text.trim()), bounds)
    return false
  } catch (error) {
    return (
      error instanceof JsonRefused &&
      (error.slug === 'number_not_exact' || error.slug === 'number_out_of_range')
    )
  }
}
