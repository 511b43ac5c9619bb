import { lstatSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * The first on the way up from `path`, which it begins with, that other users than the owners can change, so that they could replace
 * what lies at `path`; undefined if there is none. Others cannot replace what is in a folder with the sticky bit. Links are not followed.
 */
export function replaceableAt(path: string, owners: readonly number[]): string | undefined {
  for (let at = path; at !== dirname(at); at = dirname(at)) {
    const { uid, mode } = lstatSync(at)
    const byAnyone = (mode & 0o022) !== 0 && (mode & 0o1000) === 0
    if (!owners.includes(uid) || byAnyone) return at
  }
  return undefined
}
