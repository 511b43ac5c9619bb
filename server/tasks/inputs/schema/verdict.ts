/** One location at which a schema or an instance fails; contains no value of either. */
export interface Problem {
  /** Path in the schema or the instance: keys and indexes from the root. */
  at: (string | number)[]
  /** The keyword that failed, or the reason why the text cannot be used. */
  rule: string
  /** For an instance: the location of the keyword in the schema, as a JSON pointer. */
  schemaPointer?: string
}

/** A question for the thread: is the schema usable and, if there is an instance, does it conform? */
export interface Question {
  schema: string
  /** JSON that the strict parser has accepted; as a text, which costs the asking thread less than a copy of the value. */
  instance?: string
}

export type Verdict =
  | { kind: 'valid' }
  /** The text is not JSON, so there is no schema. */
  | { kind: 'schema_unreadable'; problems: Problem[] }
  | { kind: 'schema_invalid'; problems: Problem[] }
  | { kind: 'instance_invalid'; problems: Problem[] }
  /** The thread was killed at its limit of processor time or memory. */
  | { kind: 'too_costly' }
  /** Too many questions wait, or the machine had no time for this one. Nothing was checked. */
  | { kind: 'busy' }

export const problemsMax = 20
