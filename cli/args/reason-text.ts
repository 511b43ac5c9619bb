import { reasonMaxLength } from '@sandbox-jobs/contract/limits.ts'
import { InvalidArgumentError } from 'commander'

/** Reads the reason of what an operator does. */
export function reasonText(text: string): string {
  if (text.trim() !== '' && text.length <= reasonMaxLength) return text
  throw new InvalidArgumentError(`1 to ${reasonMaxLength} characters`)
}
