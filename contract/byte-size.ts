const powers: Record<string, number> = { k: 1, m: 2, g: 3, t: 4 }
const form = /^(?<number>\d{1,16}(?:\.\d{1,6})?) ?(?:(?<unit>[kmgt])(?:i?b)?)?$/i

/**
 * The bytes of a size as people write it: `5g`, `512m`, `1.5 GiB`, in powers of 1024. A number alone counts `bareBytes` each. Undefined:
 * it is no size, or no whole number of bytes.
 */
export function parseByteSize(text: string, bareBytes = 1): number | undefined {
  const { number, unit } = form.exec(text.trim())?.groups ?? {}
  if (number === undefined) return undefined
  const bytes = Number(number) * (unit === undefined ? bareBytes : 1024 ** (powers[unit.toLowerCase()] ?? 0))
  return Number.isSafeInteger(bytes) ? bytes : undefined
}
