/** An entry from a format's parser: its headers are consistent, but path and kind are not checked. */
export interface RawEntry {
  kind: 'file' | 'directory' | 'symlink' | 'hard_link' | 'device'
  name: Buffer
  /** Target of a symlink or hard link, empty otherwise. */
  linkName: Buffer
  /** Permission bits as stored, up to 0o7777. */
  mode: number
  byteSize: number
  /** `file-time.ts`. */
  modifiedAt: number
  /** Extended attributes by name (tar's PAX records only). */
  attributeNames: string[]
  /** Content of a file. The parser reads and checks what the consumer does not read. */
  body: EntryBody
}

/** The content of one entry, read once. Ending a loop early keeps the rest for `drain`. */
export class EntryBody implements AsyncIterable<Buffer> {
  readonly #bytes: AsyncIterator<Buffer>

  constructor(bytes: AsyncIterable<Buffer>) {
    this.#bytes = bytes[Symbol.asyncIterator]()
  }

  [Symbol.asyncIterator](): AsyncIterator<Buffer> {
    return { next: () => this.#bytes.next() }
  }

  /** Reads the rest, with all checks. */
  async drain(): Promise<void> {
    for await (const _left of this);
  }
}

export const emptyBody = (): EntryBody => new EntryBody((async function* () {})())
