import { ArchiveRefused } from '../archive-refused.ts'

/** Files in the archive, files not in it, and folders: the letters in an archive of a whole tree. */
const known = new Set(Buffer.from('YND'))

/**
 * The list of names in a folder in GNU's incremental archives (`tar -g`): for each a letter, the name and a NUL, then
 * one more NUL. It has no effect on unpacking, except the letters for renamed folders, which are refused.
 */
export class DumpDirectory {
  #expects: 'letter' | 'name' | 'nothing' = 'letter'

  add(bytes: Buffer): void {
    for (const byte of bytes) this.#addByte(byte)
  }

  /** Call it after the last byte. An empty list is an empty folder. */
  end(): void {
    if (this.#expects === 'name') throw new ArchiveRefused('header_disagrees')
  }

  #addByte(byte: number): void {
    if (this.#expects === 'nothing') throw new ArchiveRefused('header_disagrees')
    if (this.#expects === 'name') {
      if (byte === 0) this.#expects = 'letter'
      return
    }
    if (byte !== 0 && !known.has(byte)) throw new ArchiveRefused('unknown_entry_type')
    this.#expects = byte === 0 ? 'nothing' : 'name'
  }
}
