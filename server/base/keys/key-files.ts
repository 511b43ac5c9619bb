import {
  closeSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'

/* Key files: complete or absent whenever the process is killed, and synced to disk before first use. */

export const privateMode = 0o600
export const publicMode = 0o644

/** Reads the content of a file, and creates the file if it is missing. */
export const readOrMake = (path: string, make: () => string): string =>
  existsSync(path) ? readFileSync(path, 'utf8') : keepFirst(path, make())

/**
 * Written to a temporary file and linked into place, so that two processes that start at once both read one complete
 * file.
 */
export function keepFirst(path: string, content: string, mode = privateMode): string {
  const part = writeBeside(path, content, mode)
  try {
    linkSync(part, path)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  } finally {
    unlinkSync(part)
  }
  syncFolder(dirname(path))
  return readFileSync(path, 'utf8')
}

/** Replaces a file atomically. */
export function replaceFile(path: string, content: string, mode = privateMode): void {
  renameSync(writeBeside(path, content, mode), path)
  syncFolder(dirname(path))
}

/** Removes a file durably: a power loss does not undo it. */
export function removeFile(path: string): void {
  unlinkSync(path)
  syncFolder(dirname(path))
}

function writeBeside(path: string, content: string, mode: number): string {
  const part = `${path}.${process.pid}`
  const file = openSync(part, 'w', privateMode)
  try {
    // Independent of the process's umask.
    fchmodSync(file, mode)
    writeFileSync(file, content)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  return part
}

export function syncFolder(path: string): void {
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}
