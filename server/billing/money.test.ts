import { expect, it } from 'vitest'
import { microOf, moneyText } from './money.ts'

it.each([
  ['0', 0],
  ['0.000010', 10],
  ['12.5', 12_500_000],
  ['9007199254.740991', Number.MAX_SAFE_INTEGER],
])('%s is %i millionths, and is written back with six decimals', (text, micro) => {
  expect(microOf(text)).toBe(micro)
  expect(microOf(moneyText(micro))).toBe(micro)
})

it.each(['', '-1', '1e3', '.5', '1.', '0.0000001', '1,5', '99999999999', '9007199254.740992', ' 1', 'NaN'])(
  '%j is no amount',
  (text) => {
    expect(microOf(text)).toBeUndefined()
  },
)

it('an amount is written without an exponent, also if it is small or negative', () => {
  expect([1, -1, 1_000_000, -25_000_000].map(moneyText)).toEqual([
    '0.000001',
    '-0.000001',
    '1.000000',
    '-25.000000',
  ])
})
