import { lstatSync, realpathSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { replaceableAt } from '../../../base/replaceable.ts'

/**
 * Why backups may not be kept in a folder: it does not exist, or somebody else than the caller and root could read or replace what is
 * in it. The words follow the path.
 */
export function unsafeFolder(path: string): string | undefined {
  let folder: string
  try {
    folder = realpathSync(path)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    return code === 'ENOENT' ? 'does not exist' : `cannot be opened (${code ?? error})`
  }
  // The owner of the link's folder could let it lead elsewhere.
  if (folder !== resolve(path)) return `is reached by a link: name ${folder}`
  const own = process.getuid?.() ?? 0
  const found = lstatSync(folder)
  const { uid, mode } = found
  if (!found.isDirectory()) return 'is not a folder'
  if (uid !== own) return 'belongs to another user than the one that starts the service'
  if ((mode & 0o022) !== 0) return 'can be changed by other users: chmod go-w'
  const above = replaceableAt(dirname(folder), [own, 0])
  return above && `can be replaced by other users, who can change ${above}`
}
