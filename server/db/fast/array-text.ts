/**
 * A Postgres array literal. The driver's own encoder costs several times as much, and most parameters on the path of a
 * request are arrays. Elements: texts, numbers, times, bytes and null.
 */
export function arrayText(values: readonly unknown[]): string {
  // Fast path: most arrays hold plain texts only.
  return values.length > 0 && values.every(isPlain)
    ? `{"${values.join('","')}"}`
    : `{${values.map(elementText).join()}}`
}

const escaped = /["\\]/

const isPlain = (value: unknown): boolean => typeof value === 'string' && !escaped.test(value)

/** Texts are quoted, so that the text NULL is not read as null. */
function elementText(value: unknown): string {
  if (typeof value === 'string') return quoted(value)
  if (value === null) return 'NULL'
  if (typeof value === 'number') return String(value)
  if (value instanceof Date) return quoted(value.toISOString())
  if (Buffer.isBuffer(value)) return `"\\\\x${value.toString('hex')}"`
  throw new Error('an array element has no text form in Postgres')
}

const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`
