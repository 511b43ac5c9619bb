import { expect, test } from 'vitest'
import { parseByteSize } from './byte-size.ts'

test.each([
  ['0', 0],
  ['1073741824', 1024 ** 3],
  ['5g', 5 * 1024 ** 3],
  ['512M', 512 * 1024 ** 2],
  ['1.5 GiB', 1.5 * 1024 ** 3],
  ['2tb', 2 * 1024 ** 4],
  ['8k', 8192],
])('%s is a size', (text, bytes) => {
  expect(parseByteSize(text)).toBe(bytes)
})

test.each(['', 'g', '-1', '1e3', '5 gigabytes', '5gg', '0x10', '1.5', '0.0001k', '9999999t', '1,5g', '5b'])(
  '%j is none',
  (text) => {
    expect(parseByteSize(text)).toBeUndefined()
  },
)

test('a number alone counts in the unit of the caller, one with a unit does not', () => {
  expect(parseByteSize('256', 1024 ** 2)).toBe(256 * 1024 ** 2)
  expect(parseByteSize('1g', 1024 ** 2)).toBe(1024 ** 3)
})
