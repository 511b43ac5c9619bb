/**
 * An array as Postgres reads it out of text. The driver's own way costs several times as much, and on the path of every
 * request most of what a statement carries are arrays. Holds texts, numbers, times, bytes and null.
 */
export function arrayText(values: readonly unknown[]): string {
  // Most are of plain texts, which join at once.
  return values.length > 0 && values.every(isPlain)
    ? `{"${values.join('","')}"}`
    : `{${values.map(elementText).join()}}`
}

const escaped = /["\\]/

const isPlain = (value: unknown): boolean => typeof value === 'string' && !escaped.test(value)

/** Quoted, so that the word NULL is a text like any other. */
function elementText(value: unknown): string {
  if (typeof value === 'string') return quoted(value)
  if (value === null) return 'NULL'
  if (typeof value === 'number') return String(value)
  if (value instanceof Date) return quoted(value.toISOString())
  if (Buffer.isBuffer(value)) return `"\\\\x${value.toString('hex')}"`
  throw new Error('an array holds what has no text in Postgres')
}

const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`
