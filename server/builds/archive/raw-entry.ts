/** What a format's reader found, its headers proved consistent but nothing said about path or kind. */
export interface RawEntry {
  kind: 'file' | 'directory' | 'symlink' | 'hard_link' | 'device'
  name: Buffer
  /** Target of a symlink or hard link, empty otherwise. */
  linkName: Buffer
  /** Permission bits as stored, up to 0o7777. */
  mode: number
  byteSize: number
  /** Extended attributes by name (tar's PAX records only). */
  attributeNames: string[]
  /** Content of a file; what the consumer leaves is read and checked by the reader itself. */
  body: EntryBody
}

/** One entry's content, read once. Leaving a loop over it early keeps the rest, so `drain` can finish it. */
export class EntryBody implements AsyncIterable<Buffer> {
  readonly #bytes: AsyncIterator<Buffer>

  constructor(bytes: AsyncIterable<Buffer>) {
    this.#bytes = bytes[Symbol.asyncIterator]()
  }

  [Symbol.asyncIterator](): AsyncIterator<Buffer> {
    return { next: () => this.#bytes.next() }
  }

  /** Reads what is left, with all its checks. */
  async drain(): Promise<void> {
    for await (const _left of this);
  }
}

export const emptyBody = (): EntryBody => new EntryBody((async function* () {})())
