import { posix } from 'node:path'
import type { ArchiveEntry } from './archive.ts'

/** As many as the kernel follows. */
const maxLinks = 40

/** Where the entries of an archive are, and what links lead to. */
export class ContextTree {
  /** Paths of symbolic links, with their targets. */
  readonly #links = new Map<string, string>()
  /** Paths of hard links, with the paths that they name. */
  readonly #hardLinks = new Map<string, string>()
  readonly #files = new Set<string>()
  readonly #folders = new Set<string>([''])

  add({ path, kind, linkTarget = '' }: ArchiveEntry): void {
    if (kind === 'symlink') this.#links.set(path, linkTarget)
    else if (kind === 'hard_link') this.#hardLinks.set(path, linkTarget)
    else if (kind === 'file') this.#files.add(path)
    for (let at = kind === 'directory' ? path : folderOf(path); !this.#folders.has(at); at = folderOf(at)) {
      this.#folders.add(at)
    }
  }

  get folders(): ReadonlySet<string> {
    return this.#folders
  }

  /** Names of the entries at the top. */
  get topNames(): ReadonlySet<string> {
    const paths = [...this.#links.keys(), ...this.#hardLinks.keys(), ...this.#files, ...this.#folders]
    return new Set(paths.map((path) => path.split('/', 1)[0] ?? '').filter((name) => name !== ''))
  }

  /** The path of the file that a path leads to, through links of every kind; undefined if there is none. */
  fileAt(path: string): string | undefined {
    let left = path.split('/')
    let at = ''
    for (let links = 0; left.length > 0; ) {
      const [name = '', ...more] = left
      const next = posix.normalize(posix.join(at, name))
      const target = this.#links.get(next)
      if (target === undefined) {
        at = next === '.' ? '' : next
        left = more
        continue
      }
      links += 1
      if (links > maxLinks) return undefined
      left = [...target.split('/'), ...more]
    }
    const file = this.#hardLinks.get(at) ?? at
    return this.#files.has(file) ? file : undefined
  }

  has(path: string): boolean {
    return this.#links.has(path) || this.isPlain(path)
  }

  /** Whether there is an entry, with no symbolic link on the way to it nor in its place. */
  isPlain(path: string): boolean {
    return this.#folders.has(path) || this.#files.has(path) || this.#hardLinks.has(path)
  }

  /** Whether a path, or something below it, is one that `isSeen` accepts. */
  sees(path: string, isSeen: (path: string) => boolean): boolean {
    if (isSeen(path)) return true
    const isBelow = (other: string) => other.startsWith(`${path}/`) && isSeen(other)
    return [...this.#files, ...this.#hardLinks.keys(), ...this.#links.keys()].some(isBelow)
  }

  /** The files that have another name which `isWanted` accepts. */
  filesLinkedFrom(isWanted: (path: string) => boolean): ReadonlySet<string> {
    const wanted = [...this.#hardLinks].filter(([path]) => isWanted(path))
    return new Set(wanted.map(([, file]) => file))
  }
}

const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')))
