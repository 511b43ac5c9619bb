/** One place that a schema or an instance fails at; holds no value of either. */
export interface Problem {
  /** Where in the schema or the instance: keys and indexes from its root. */
  at: (string | number)[]
  /** The keyword that failed, or the reason why the text cannot be used at all. */
  rule: string
  /** For an instance: where in the schema the keyword stands, as a JSON pointer. */
  schemaPointer?: string
}

/** What is asked of the thread: is the schema usable and, if there is an instance, does it conform. */
export interface Question {
  schema: string
  instance?: { value: unknown }
}

export type Verdict =
  | { kind: 'valid' }
  /** The text is no JSON: there is no schema to speak of. */
  | { kind: 'schema_unreadable'; problems: Problem[] }
  | { kind: 'schema_invalid'; problems: Problem[] }
  | { kind: 'instance_invalid'; problems: Problem[] }
  /** The thread was killed at its bound of processor time or memory. */
  | { kind: 'too_costly' }
  /** Too many questions wait already, or the machine had no time for this one; nothing was checked. */
  | { kind: 'busy' }

export const problemsMax = 20
