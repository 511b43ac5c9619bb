import { posix } from 'node:path'
import { SessionPathQuery } from '@sandbox-jobs/contract/resources/sessions/session-file.ts'
import { Type } from 'typebox'
import { PlainError } from '../../../base/errors/plain-error.ts'
import { homeDir } from '../../../doors/terminal/command-script.ts'
import { isValid, validatorOf } from '../../requests/validation.ts'

/* Paths as people and models write them: absolute, or from the working directory. Only what is below the home directory is kept. */

/** Any path of a sandbox. */
export const TerminalPath = (description: string) =>
  Type.String({ minLength: 1, maxLength: 4096, pattern: '^[^\\u0000]+$', description })

/** Where models expect a home directory. */
const otherHomes = ['~', '/home/user']

/** Absolute, without `..` and a slash at the end. `from`: the working directory. */
export function absolutePath(path: string, from: string = homeDir): string {
  const other = otherHomes.find((home) => path === home || path.startsWith(`${home}/`))
  return posix.resolve(from, other === undefined ? path : `${homeDir}${path.slice(other.length)}`)
}

/** Whether the working directory has no part in it. */
export const isFromRoot = (path: string): boolean => /^[/~]/.test(path)

const isSessionPath = validatorOf('query', SessionPathQuery)

/**
 * The path below the home directory, as sessions name it; undefined: the home directory itself. Throws 403 for every other path,
 * and 400 for a name that is not kept.
 */
export function keptPath(path: string): string | undefined {
  const absolute = absolutePath(path)
  if (absolute === homeDir) return undefined
  if (!absolute.startsWith(`${homeDir}/`))
    throw new PlainError(403, `Only files below ${homeDir} are kept. Use a command for other files.`)
  const below = absolute.slice(homeDir.length + 1)
  if (!isValid(isSessionPath, { path: below }))
    throw new PlainError(400, 'The path has a character that is not allowed, or is too long.')
  return below
}

/** The same where the home directory itself is no answer. Throws 400 for it too. */
export function requireKeptPath(path: string): string {
  const kept = keptPath(path)
  if (kept === undefined) throw new PlainError(400, 'The path is the home directory.')
  return kept
}

/**
 * The content shown of a folder above the home directory: the one that leads there. The file panel begins at `/` before it knows the home
 * directory. Undefined for every other path.
 */
export function wayHome(path: string): { at: string; next: string } | undefined {
  const at = absolutePath(path)
  const prefix = at === '/' ? at : `${at}/`
  if (!homeDir.startsWith(prefix)) return undefined
  return { at, next: homeDir.slice(prefix.length).split('/', 1)[0] ?? '' }
}

export const shownPath = (kept: string | undefined): string =>
  kept === undefined ? homeDir : `${homeDir}/${kept}`
