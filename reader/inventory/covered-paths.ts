import type { RawEntry } from '../formats/raw-entry.ts'
import { hiddenBy } from '../images/image-layer.ts'

/** Which of some paths of a lower layer the entries of a layer hide or replace. */
export class CoveredPaths {
  /** The indexes of the paths at or below a path. */
  readonly #below = new Map<string, number[]>()
  readonly #at = new Map<string, number[]>()
  readonly #covered = new Set<number>()

  constructor(paths: readonly string[]) {
    for (const [index, path] of paths.entries()) {
      push(this.#at, path, index)
      for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
        push(this.#below, path.slice(0, end), index)
      }
    }
  }

  /** Records an entry; true if it is a whiteout. A folder replaces only what is said of the folder itself. */
  add(path: string, kind: RawEntry['kind']): boolean {
    const hidden = hiddenBy(path)
    const found = kind === 'directory' ? this.#at.get(path) : this.#below.get(hidden ?? path)
    for (const index of found ?? []) this.#covered.add(index)
    return hidden !== undefined
  }

  indexes(): number[] {
    return [...this.#covered].toSorted((a, b) => a - b)
  }
}

function push(map: Map<string, number[]>, key: string, index: number): void {
  const known = map.get(key)
  if (known) known.push(index)
  else map.set(key, [index])
}
