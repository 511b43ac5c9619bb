/** One refused field: `loc` starts with `body`, `query`, `path` or `header`; the value itself is never included. */
export interface ValidationProblem {
  type: string
  loc: (string | number)[]
  /** A sentence that names the field. */
  msg: string
}

/** The standard 422 array. */
export class ValidationError extends Error {
  readonly problems: ValidationProblem[]

  constructor(problems: ValidationProblem[]) {
    super('validation failed')
    this.name = 'ValidationError'
    this.problems = problems
  }
}

const wholes: Record<string, string> = { body: 'The body', query: 'The query', path: 'The path' }

/** `input.rows[3]`: the readable path of a field. */
export function fieldName([part, ...steps]: (string | number)[]): string {
  if (steps.length === 0) return wholes[String(part)] ?? 'The request'
  const name = steps
    .map((step, index) => (typeof step === 'number' ? `[${step}]` : `${index === 0 ? '' : '.'}${step}`))
    .join('')
  return part === 'header' ? `The header ${name}` : name
}

/** `words` follow the name of the field in the message: `must have at most 8 characters`. */
export const problemOf = (
  loc: (string | number)[],
  { type, words }: { type: string; words: string },
): ValidationProblem => ({ type, loc, msg: `${fieldName(loc)} ${words}` })

/** One field refused by a rule that a schema cannot express. */
export const invalid = (loc: (string | number)[], type: string, words: string): ValidationError =>
  new ValidationError([problemOf(loc, { type, words })])

/** The instant in a field of a request. The format admits dates, leap seconds and offsets that do not exist for programs. */
export function readInstant(loc: (string | number)[], text: string): Date {
  const at = new Date(text)
  if (Number.isNaN(at.getTime())) throw invalid(loc, 'format', 'is not an instant')
  return at
}
