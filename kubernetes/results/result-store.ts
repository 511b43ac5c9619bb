import type { Readable } from 'node:stream'

/** Where results of sandboxes are until they are removed: the object store of the service. A put replaces what there is, whole or not at all. */
export interface ResultStore {
  put(key: string, body: Readable, options: { maxBytes: number; isUnread: true }): Promise<unknown>
  /** Throws if there is no such object. */
  get(key: string, range?: { start: number; end: number }): Promise<Readable>
  size(key: string): Promise<number | undefined>
  delete(key: string): Promise<void>
}

/** A result by the last segment of its key. */
export type ResultName = 'log' | 'tree' | 'tree-index' | 'folder' | `file-${number}`

export const resultKey = (id: string, name: ResultName): string => `sandboxes/${id}/${name}`
