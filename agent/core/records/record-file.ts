import { readFileSync, statSync } from 'node:fs'
import { hasCode } from '../../../server/base/errors/has-code.ts'

/*
 * Files that say whether an id was started. Only a missing file means that none was written. After any other failure (a bad sector,
 * too many open files) nothing is known, and an id that may have started must not start again.
 */

/** False only if there is no file. */
export function mayExist(path: string): boolean {
  try {
    statSync(path)
    return true
  } catch (error) {
    return !isMissing(error)
  }
}

/** The JSON of a file; undefined for a missing file, a truncated one, and reserved space. Throws what else fails. */
export function recordIn<Content>(path: string): Content | undefined {
  const text = textOf(path)
  if (text === undefined) return undefined
  try {
    return JSON.parse(text) as Content
  } catch {
    return undefined
  }
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

const isMissing = (error: unknown): boolean => hasCode(error, 'ENOENT')
