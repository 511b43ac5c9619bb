import { ArchiveRefused } from './archive-refused.ts'

/** Files that are in the archive, that are not, and folders: what an archive of the whole tree has. */
const known = new Set(Buffer.from('YND'))

/**
 * The list of names that GNU's incremental archives keep of a folder (`tar -g`): each a letter, the name and a NUL, then
 * one more NUL. Nothing is unpacked by it, but for the letters of renamed folders, by which some readers rename: refused.
 */
export class DumpDirectory {
  #expects: 'letter' | 'name' | 'nothing' = 'letter'

  add(bytes: Buffer): void {
    for (const byte of bytes) this.#addByte(byte)
  }

  /** Call it behind the last byte; an empty list stands for an empty folder. */
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
