/**
 * The most bytes that Postgres writes for a value of a `jsonb`, but for white space. It writes numbers without an exponent, so one of
 * five characters may get 309.
 */
export function jsonbBytes(value: unknown): number {
  let zeros = 0
  const text = JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part === 'number') zeros += Math.abs(Number(/e(.+)$/.exec(String(part))?.[1] ?? 0))
    return part
  })
  return Buffer.byteLength(text) + zeros
}
