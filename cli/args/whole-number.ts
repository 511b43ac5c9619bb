import { InvalidArgumentError } from 'commander'

/** Parses an option that is a whole number of at least 1. */
export function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number of at least 1.')
  return Number(text)
}

/** The same, with the maximum `max`. */
export const wholeNumberUpTo =
  (max: number) =>
  (text: string): number => {
    const number = wholeNumber(text)
    if (number <= max) return number
    throw new InvalidArgumentError(`It must be at most ${max}.`)
  }
