import { ExecutorRefused } from '../../port.ts'

/** Of native/shim.h. */
const valuesMax = 100
const valueBytesMin = 4
const valueBytesMax = 64 * 1024
const allBytesMax = 256 * 1024

/** `values` as the shim takes them, which makes what it looks for of them. Refuses what it cannot hold. */
export function maskedValues(values: readonly string[]): Buffer[] {
  const all = values.map((value) => Buffer.from(value, 'utf8'))
  const refused = refusalOf(all.map((bytes) => bytes.length))
  if (refused !== undefined) throw new ExecutorRefused(refused, `the values to mask are refused: ${refused}`)
  return all
}

function refusalOf(lengths: number[]): string | undefined {
  if (lengths.length > valuesMax) return 'mask_values'
  if (lengths.some((length) => length < valueBytesMin)) return 'mask_too_short'
  if (lengths.some((length) => length > valueBytesMax)) return 'mask_too_long'
  return lengths.reduce((sum, length) => sum + length, 0) > allBytesMax ? 'mask_total' : undefined
}
