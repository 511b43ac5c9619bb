import { ExecutorRefused } from '../../port/errors.ts'
import type { RefusalCause } from '../../port/refusal-causes.ts'

/** The limits of native/shim/shim.h. */
const valuesMax = 100
const valueBytesMin = 4
const valueBytesMax = 64 * 1024
const allBytesMax = 256 * 1024

/** `values` as bytes for the shim, which derives the masked forms from them. Refuses values beyond the shim's limits. */
export function maskedValues(values: readonly string[]): Buffer[] {
  const all = values.map((value) => Buffer.from(value, 'utf8'))
  const refused = refusalOf(all.map((bytes) => bytes.length))
  if (refused !== undefined) throw new ExecutorRefused(refused, `the values to mask are refused: ${refused}`)
  return all
}

function refusalOf(lengths: number[]): RefusalCause | undefined {
  if (lengths.length > valuesMax) return 'mask_values'
  if (lengths.some((length) => length < valueBytesMin)) return 'mask_too_short'
  if (lengths.some((length) => length > valueBytesMax)) return 'mask_too_long'
  return lengths.reduce((sum, length) => sum + length, 0) > allBytesMax ? 'mask_total' : undefined
}
