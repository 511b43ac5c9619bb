import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { keepFirst, removeFile, replaceFile } from './key-files.ts'

/**
 * A key file that an operator may rotate.
 *
 *   FOLDER/NAME.ENDING          the present key; a rotation overwrites it
 *   FOLDER/NAME.former.ENDING   the one before it, which is live until it is retired
 *
 * A rotation by another process needs no restart: each use compares the version of what it has read.
 */
export class RotatedFile {
  readonly path: string
  readonly formerPath: string

  constructor(folder: string, name: string, ending: string) {
    this.path = join(folder, `${name}.${ending}`)
    this.formerPath = join(folder, `${name}.former.${ending}`)
  }

  /** Another one when a file has changed, come or gone. */
  get version(): string {
    return `${versionOf(this.path)} ${versionOf(this.formerPath)}`
  }

  get hasFormer(): boolean {
    return existsSync(this.formerPath)
  }

  /** Replaces the present key; it stays live as the former one. Throws `FormerKeyLive` while one from before it is. */
  rotate(next: () => string): void {
    if (existsSync(this.path)) {
      const present = readFileSync(this.path, 'utf8')
      // A rotation that was killed has kept the present key and not replaced it.
      if (keepFirst(this.formerPath, present) !== present) throw new FormerKeyLive()
    }
    replaceFile(this.path, next())
  }

  /** Ends the former key: what was made under it counts for nothing. False if there is none. */
  retire(): boolean {
    if (!this.hasFormer) return false
    removeFile(this.formerPath)
    return true
  }
}

/** The key from before the last rotation is live: it must be retired first. */
export class FormerKeyLive extends Error {
  override readonly name = 'FormerKeyLive'
}

function versionOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false })
  return found ? `${found.ino} ${found.ctimeMs}` : 'none'
}
