import type { Readable } from 'node:stream'
import type { KnownContent } from './known-contents.ts'

/** The input of a start, opened at the last moment. */
export interface StartInput {
  /**
   * Called when the sandbox is about to start, at most once in each call of `start`. An error that it throws rejects that call
   * unchanged, and the call has started nothing: so the caller can withdraw a start by what is true now.
   */
  open(): Promise<ProgramInput>
}

export interface ProgramInput {
  /** Standard input. */
  bytes: Buffer | Readable
  /** The log masks these values in every common form: at most 100, of 4 bytes to 64 KiB each, 256 KiB in total. */
  masked?: readonly string[]
  /** Files of the collected folder with one of these contents are collected as its digest, without their bytes. */
  known?: readonly KnownContent[]
}

/** An input that does not depend on when it is opened. Bytes from a stream are for one call of `start`. */
export const inputOf = (bytes: Buffer | Readable, more: Omit<ProgramInput, 'bytes'> = {}): StartInput => ({
  open: async () => ({ bytes, ...more }),
})
