import { ArchiveRefused } from './archive-refused.ts'

export type EntryKind = 'file' | 'directory' | 'symlink'

export interface TreeBounds {
  /** Entries, including folders without an entry. */
  maxEntries: number
  /** Bytes of all paths together, which bounds the memory of the tree. */
  maxNamesBytes: number
}

/**
 * The paths seen so far. Refuses what depends on the order of unpacking: a repeated path, and an entry
 * below a file or a link, in either order.
 */
export class EntryTree {
  readonly #kinds = new Map<string, EntryKind | 'implied'>()
  readonly #bounds: TreeBounds
  #namesBytes = 0

  constructor(bounds: TreeBounds) {
    this.#bounds = bounds
  }

  kind(path: string): EntryKind | undefined {
    const kind = this.#kinds.get(path)
    return kind === 'implied' ? 'directory' : kind
  }

  /** Whether the path had a folder entry. */
  hasFolder(path: string): boolean {
    return this.#kinds.get(path) === 'directory'
  }

  /** Records an entry. Parent folders without an entry are implied. */
  add(path: string, kind: EntryKind): void {
    const known = this.#kinds.get(path)
    if (known === 'implied' && kind !== 'directory') {
      throw new ArchiveRefused(kind === 'symlink' ? 'entry_below_link' : 'entry_below_file')
    }
    if (known !== undefined && known !== 'implied') throw new ArchiveRefused('duplicate_path')
    for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
      const folder = path.slice(0, slash)
      const above = this.#kinds.get(folder)
      // The parents of a known folder were checked before.
      if (above === 'directory' || above === 'implied') break
      if (above === 'symlink') throw new ArchiveRefused('entry_below_link')
      if (above === 'file') throw new ArchiveRefused('entry_below_file')
      this.#set(folder, 'implied')
    }
    this.#set(path, kind)
  }

  #set(path: string, kind: EntryKind | 'implied'): void {
    if (!this.#kinds.has(path)) this.#namesBytes += Buffer.byteLength(path)
    this.#kinds.set(path, kind)
    if (this.#kinds.size > this.#bounds.maxEntries) throw new ArchiveRefused('archive_too_many_entries')
    if (this.#namesBytes > this.#bounds.maxNamesBytes) throw new ArchiveRefused('archive_names_too_large')
  }
}
