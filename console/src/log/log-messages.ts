import type { LogQuery } from './log-search.ts'
import type { Graphics } from './sgr.ts'

/** Text of one look in a row; a match of the search is a piece of its own. */
export interface Piece {
  text: string
  graphics?: Graphics
  isMatch?: boolean
}

export interface LogRow {
  line: number
  /** A wrapped line has several rows. */
  part: number
  pieces: Piece[]
  /** Size of a line that is cut. */
  cutBytes?: number
}

export const blockRows = 256

export interface Arrangement {
  /** Lines are wrapped after so many columns. */
  columns?: number
  onlyMatching: boolean
}

/** From the page to the worker that has the log. */
export type LogRequest =
  | { kind: 'bytes'; chunk: Uint8Array }
  /** Bytes before the end of a log, which are shown until all of it is read. */
  | { kind: 'tail'; chunk: Uint8Array }
  /** The size of what will come. */
  | { kind: 'expect'; bytes: number }
  | { kind: 'end' }
  | { kind: 'arrange'; arrangement: Arrangement }
  | { kind: 'search'; id: number; query: LogQuery | undefined }
  | { kind: 'rows'; block: number }
  | ({ kind: 'ask'; id: number } & LogQuestion)

export type LogQuestion =
  /** The first row of a line. */
  | { about: 'row_of'; line: number }
  /** The first line whose words tell of a failure. */
  | { about: 'first_failure' }
  /** Text of the lines `first` to `last`, without escape sequences. */
  | { about: 'text'; first: number; last: number }

export interface LogAnswers {
  row_of: number
  first_failure: number | undefined
  text: string
}

export interface LogState {
  rows: number
  lines: number
  bytes: number
  /** All of the log is here. */
  isWhole: boolean
  /** Lines have no numbers yet, since only the end is here. */
  isTail: boolean
}

export interface SearchState {
  /** Ascending. */
  lines: Uint32Array
  isDone: boolean
  /** There are more than are listed. */
  isFull: boolean
  /** The text is no regular expression. */
  isInvalid: boolean
}

/** From the worker to the page. */
export type LogReply =
  /** `version` counts arrangements and searches: rows that came before it are others. */
  | { kind: 'state'; state: LogState; version: number }
  /** The first `finalRows` of the rows stay as they are. */
  | { kind: 'rows'; block: number; rows: LogRow[]; finalRows: number }
  | { kind: 'found'; id: number; found: SearchState }
  | { kind: 'answer'; id: number; value: LogAnswers[LogQuestion['about']] }
