import { closeSync, constants, fchmodSync, fchownSync, fstatSync, openSync, readdirSync } from 'node:fs'
import type { Account } from '../../postgres/account.ts'

/** Whose files, by number, become whose, and with what modes. */
export interface Gift {
  from: number
  to: Account
  /** Left as they are where absent. */
  folderMode?: number
  fileMode?: number
}

/**
 * Gives the tree at `path` to another account, as far as it belongs to `from`. Root does this in folders that `from` could
 * write to: so it follows no link, works on what it has opened and not on names, and leaves alone what is not `from`'s,
 * such as a second name of a file of root's. May be repeated after a crash: the folder itself changes hands last.
 */
export function giveAway(path: string, gift: Gift): void {
  const opened = openPlainly(path)
  if (opened === undefined) return
  try {
    const found = fstatSync(opened)
    if (found.isDirectory()) {
      // A name below a descriptor leads where the folder that was opened is, wherever its own name leads by now.
      for (const name of readdirSync(`/proc/self/fd/${opened}`))
        giveAway(`/proc/self/fd/${opened}/${name}`, gift)
    } else if (!found.isFile()) return
    if (found.uid !== gift.from) return
    const mode = found.isDirectory() ? gift.folderMode : gift.fileMode
    fchownSync(opened, gift.to.uid, gift.to.gid)
    if (mode !== undefined) fchmodSync(opened, mode)
  } finally {
    closeSync(opened)
  }
}

/** Undefined for what is no file and no folder, or is gone. */
function openPlainly(path: string): number | undefined {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : ''
    if (code === 'ELOOP' || code === 'ENXIO' || code === 'ENOENT') return undefined
    throw error
  }
}
