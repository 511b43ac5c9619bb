import { createHash } from 'node:crypto'
import type { ArchiveEntry } from './archive.ts'

/** Content that an instruction may read. */
export interface ContentView {
  digest: (counts?: (path: string) => boolean) => string
  links: ReadonlySet<string>
  hardLinks: readonly string[]
}

/**
 * The digest of an archive's content, independent of order, format and compression: over the sorted list of
 * paths, each with its kind, execute bit, link target and the sha256 of its content. A folder counts with or without an
 * entry. A hard link counts as the file that it names, with that file's path.
 */
export class ContentDigest implements ContentView {
  readonly #lines = new Map<string, string>()
  readonly #links = new Set<string>()
  readonly #hardLinks: string[] = []

  /** Passes the entries on. A body counts when it was read to its end, so the unread rest is read here. */
  async *through(entries: AsyncIterable<ArchiveEntry>): AsyncGenerator<ArchiveEntry, void> {
    for await (const entry of entries) {
      this.#addFolders(entry.path)
      if (entry.kind === 'hard_link') this.#addHardLink(entry.path, entry.linkTarget ?? '')
      else if (entry.kind !== 'file') this.#add(entry.path, entry.kind, entry.linkTarget)
      if (entry.body === undefined) {
        yield entry
        continue
      }
      const hash = createHash('sha256')
      const body = hashing(entry.body, (bytes) => hash.update(bytes))
      yield { ...entry, body }
      for await (const _left of body);
      this.#add(entry.path, entry.mode & 0o111 ? 'executable' : 'file', hash.digest('hex'))
    }
  }

  /** The digest over the paths that `counts` accepts; `sha256:` and 64 hex digits. Call it after the last entry. */
  digest(counts: (path: string) => boolean = () => true): string {
    const hash = createHash('sha256')
    const paths = [...this.#lines.keys()].filter(counts).sort()
    for (const path of paths) hash.update(`${this.#lines.get(path)}\n`)
    return `sha256:${hash.digest('hex')}`
  }

  /** The rest without the paths that `isSeen` refuses. */
  seenBy(isSeen: (path: string) => boolean): ContentView {
    return {
      digest: (counts = () => true) => this.digest((path) => isSeen(path) && counts(path)),
      links: new Set([...this.#links].filter(isSeen)),
      hardLinks: this.#hardLinks.filter(isSeen),
    }
  }

  /** Paths of symlinks. */
  get links(): ReadonlySet<string> {
    return this.#links
  }

  /** Paths of hard links. */
  get hardLinks(): readonly string[] {
    return this.#hardLinks
  }

  #add(path: string, kind: string, content = ''): void {
    this.#lines.set(path, JSON.stringify([path, kind, content]))
    if (kind === 'symlink') this.#links.add(path)
  }

  #addHardLink(path: string, target: string): void {
    const line = this.#lines.get(target)
    if (line === undefined) throw new Error('a hard link leads to a file that was not read')
    const [, kind, content] = JSON.parse(line) as string[]
    this.#lines.set(path, JSON.stringify([path, kind, content, target]))
    this.#hardLinks.push(path)
  }

  #addFolders(path: string): void {
    for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
      const folder = path.slice(0, slash)
      if (this.#lines.has(folder)) return
      this.#add(folder, 'directory')
    }
  }
}

/** A body that passes its bytes to `see`. Like any entry's body it may be read in several loops. */
function hashing(body: AsyncIterable<Buffer>, see: (bytes: Buffer) => void): AsyncIterable<Buffer> {
  const bytes = body[Symbol.asyncIterator]()
  const next = async (): Promise<IteratorResult<Buffer>> => {
    const result = await bytes.next()
    if (!result.done) see(result.value)
    return result
  }
  return { [Symbol.asyncIterator]: () => ({ next }) }
}
