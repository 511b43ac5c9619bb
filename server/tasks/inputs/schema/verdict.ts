import type { PreparedInput } from '../../../base/json/staged-input.ts'
import type { JsonBounds, JsonRefusal } from '../../../base/json/strict-json.ts'

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

/** A question about the JSON body of a request. */
export interface BodyQuestion {
  /** A view of a whole buffer, because the thread gets a copy of the buffer. */
  body: Uint8Array
  bounds: JsonBounds
  /** The keys below which the body has its `input`; absent: it has it itself. */
  inputWithin?: readonly string[] | undefined
}

/** A question for the thread. */
export type Question = SchemaQuestion | BodyQuestion
export type AnswerTo<Q extends Question> = Q extends BodyQuestion ? BodyVerdict : Verdict

/** The thread gave no answer. */
export type NoAnswer =
  /** The thread was killed at its limit of processor time or memory. */
  | { kind: 'too_costly' }
  /** Too many questions wait, or the machine had no time for this one. Nothing was checked. */
  | { kind: 'busy' }

export type BodyVerdict =
  /** `value` holds null for a large `input`, whose staged form is in `input`. */
  | { kind: 'body'; value: unknown; input?: PreparedInput['outcome'] }
  | { kind: 'body_refused'; slug: JsonRefusal; at: number; path: (string | number)[] }
  | NoAnswer

export type Verdict =
  | { kind: 'valid' }
  /** The text is not JSON, so there is no schema. */
  | { kind: 'schema_unreadable'; problems: Problem[] }
  | { kind: 'schema_invalid'; problems: Problem[] }
  | { kind: 'instance_invalid'; problems: Problem[] }
  | NoAnswer

export const problemsMax = 20
