/*
 * Amounts are integers of millionths of the currency, below 2^53. On the wire and in files they are decimal strings.
 */

const microPerUnit = 1_000_000
const decimals = 6

/** `12`, `0.5` or `0.000010`: at most six decimals. */
export const moneyPattern = /^\d{1,10}(\.\d{1,6})?$/

/** Millionths of an amount that matches `moneyPattern`; undefined for other texts. */
export function microOf(amount: string): number | undefined {
  if (!moneyPattern.test(amount)) return undefined
  const [units = '', fraction = ''] = amount.split('.')
  const micro = Number(units) * microPerUnit + Number(fraction.padEnd(decimals, '0'))
  return Number.isSafeInteger(micro) ? micro : undefined
}

/** The amount with all six decimals, so that equal amounts have equal texts: `0.000010`. Never an exponent. */
export function moneyText(micro: number): string {
  const digits = String(Math.abs(micro)).padStart(decimals + 1, '0')
  return `${micro < 0 ? '-' : ''}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}
