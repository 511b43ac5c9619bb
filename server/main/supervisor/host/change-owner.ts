import { closeSync, constants, fchmodSync, fchownSync, fstatSync, openSync, readdirSync } from 'node:fs'
import type { Account } from '../../../postgres/account.ts'

/** An ownership change: from and to accounts by number, and modes. */
export interface OwnerChange {
  from: number
  to: Account
  /** Unchanged if absent. */
  folderMode?: number
  fileMode?: number
}

/**
 * Gives the parts of the tree at `path` that belong to `from` to another account. Root does this in folders that
 * `from` could write to. So it follows no link, works on open descriptors instead of names, and skips what `from`
 * does not own, such as a hard link to a file of root. It may be repeated after a crash: the folder itself changes
 * owner last.
 */
export function changeOwner(path: string, gift: OwnerChange): void {
  const opened = openPlainly(path)
  if (opened === undefined) return
  try {
    const found = fstatSync(opened)
    if (found.isDirectory()) {
      // A path below a descriptor resolves in the opened folder, even if that folder has been renamed since.
      for (const name of readdirSync(`/proc/self/fd/${opened}`))
        changeOwner(`/proc/self/fd/${opened}/${name}`, gift)
    } else if (!found.isFile()) return
    if (found.uid !== gift.from) return
    const mode = found.isDirectory() ? gift.folderMode : gift.fileMode
    fchownSync(opened, gift.to.uid, gift.to.gid)
    if (mode !== undefined) fchmodSync(opened, mode)
  } finally {
    closeSync(opened)
  }
}

/** Undefined if it is neither a file nor a folder, or does not exist. */
function openPlainly(path: string): number | undefined {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : ''
    if (code === 'ELOOP' || code === 'ENXIO' || code === 'ENOENT') return undefined
    throw error
  }
}
