import type { Readable } from 'node:stream'

/**
 * Object storage: immutable bytes under keys that we make, never a tenant's text.
 * An object appears whole or not at all; `put` reports what was stored, so a caller can prove it.
 */
export interface ObjectStorage {
  /** Stores the stream; over `maxBytes` throws `ObjectTooLarge` and keeps nothing. */
  put(key: string, body: Readable | Buffer, options?: { maxBytes?: number }): Promise<StoredObject>
  /**
   * Stores small objects together, which costs the time of one. They appear in their order; of a call that fails the first
   * ones may be there.
   */
  putAll(objects: readonly NamedBytes[]): Promise<void>
  /** Opens `start` to `end` (inclusive), or everything. Throws `ObjectMissing`. */
  get(key: string, range?: { start: number; end: number }): Promise<Readable>
  /**
   * Opens an object to be read more than once: all reads are of the same bytes, whatever becomes of the key. Throws
   * `ObjectMissing`. Whoever opened it closes it.
   */
  opened(key: string): Promise<OpenedObject>
  /** An object that is small, or its first `maxBytes`; undefined when there is none. */
  read(key: string, maxBytes?: number): Promise<Buffer | undefined>
  /** Byte size, or undefined when there is no such object. */
  size(key: string): Promise<number | undefined>
  /** Gives an object another key, whole or not at all. Throws `ObjectMissing`. */
  move(from: string, to: string): Promise<void>
  /** Stores an object under another key as well; each is deleted by itself. Throws `ObjectMissing`. */
  copy(from: string, to: string): Promise<void>
  delete(key: string): Promise<void>
  /** Whether it has room for what is yet to begin; what has begun may be stored a while longer. */
  hasSpace(): Promise<boolean>
}

export interface OpenedObject {
  byteSize: number
  /** Equal only while the same bytes are stored in the same place. */
  stamp: string
  /** The bytes from `start` up to `end`, which is not among them, in pieces. */
  read(start: number, end: number): AsyncIterable<Buffer>
  close(): Promise<void>
}

export interface NamedBytes {
  key: string
  bytes: Buffer
}

export interface StoredObject {
  byteSize: number
  /** `sha256:` and 64 hex digits over the stored bytes. */
  digest: string
}

export class ObjectMissing extends Error {
  constructor(key: string) {
    super(`no object ${key}`)
    this.name = 'ObjectMissing'
  }
}

export class ObjectTooLarge extends Error {
  constructor(maxBytes: number) {
    super(`object is larger than ${maxBytes} bytes`)
    this.name = 'ObjectTooLarge'
  }
}
