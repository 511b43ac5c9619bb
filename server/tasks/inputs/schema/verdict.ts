import type { JsonBounds, JsonRefusal } from '@sandbox-jobs/contract/input-schema/strict-json.ts'
import type { SchemaQuestion, SchemaVerdict } from '@sandbox-jobs/contract/input-schema/verdict.ts'
import type { PreparedInput } from '../../../base/json/staged-input.ts'

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

export type Verdict = SchemaVerdict | NoAnswer
