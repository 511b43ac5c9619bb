import { InvalidArgumentError } from 'commander'

/** Reads an option that is a whole number of at least 1. */
export function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number of at least 1.')
  return Number(text)
}
