/** One location at which a schema or an instance fails; contains no value of the instance. */
export interface Problem {
  /** Path in the schema or the instance: keys and indexes from the root. */
  at: (string | number)[]
  /** The keyword that failed, or the reason why the text cannot be used. */
  rule: string
  /** For an instance: what is wrong, as words that follow the name of the field. */
  words?: string
}

/** Is the schema usable and, if there is an instance, does it conform? */
export interface SchemaQuestion {
  schema: string
  /** JSON that the strict parser has accepted, as text or UTF-8: it costs the asking thread less than a copy of the value. */
  instance?: string | Uint8Array
}

export type SchemaVerdict =
  | { kind: 'valid' }
  /** The text is not JSON, so there is no schema. */
  | { kind: 'schema_unreadable'; problems: Problem[] }
  | { kind: 'schema_invalid'; problems: Problem[] }
  | { kind: 'instance_invalid'; problems: Problem[] }
  /** A reference without end, or a value that is nested too deeply for the schema. */
  | { kind: 'too_costly' }

export const problemsMax = 20
