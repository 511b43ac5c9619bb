import { reasonMaxLength } from '@sandbox-jobs/contract/limits.ts'
import { InvalidArgumentError } from 'commander'

/** Parses the reason of an operator's action. */
export function reasonText(text: string): string {
  if (text.trim() !== '' && text.length <= reasonMaxLength) return text
  throw new InvalidArgumentError(`1 to ${reasonMaxLength} characters`)
}
