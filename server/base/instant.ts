import { invalid } from './errors/validation-error.ts'

/** The instant in a field of a request. The format admits dates, leap seconds and offsets that do not exist for programs. */
export function readInstant(loc: (string | number)[], text: string): Date {
  const at = new Date(text)
  if (Number.isNaN(at.getTime())) throw invalid(loc, 'format', 'is not an instant')
  return at
}
