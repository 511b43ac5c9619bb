/** One refused field: `loc` starts with `body`, `query`, `path` or `header`; the value itself is never told. */
export interface ValidationProblem {
  type: string
  loc: (string | number)[]
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

/** One refused field, found by a rule that a schema cannot say. */
export const invalid = (loc: (string | number)[], type: string, msg: string): ValidationError =>
  new ValidationError([{ type, loc, msg }])
