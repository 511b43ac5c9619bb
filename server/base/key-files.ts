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

/* Files of keys: whole or absent whatever ends the process that makes them, and on the disk before anybody uses them. */

export const privateMode = 0o600
export const publicMode = 0o644

/** What a file holds, making it when it is missing. */
export const readOrMake = (path: string, make: () => string): string =>
  existsSync(path) ? readFileSync(path, 'utf8') : keepFirst(path, make())

/** Written aside and linked into place, so that of two processes that start at once both read one whole file. */
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

/** Puts a file in the place of the one that is there. */
export function replaceFile(path: string, content: string, mode = privateMode): void {
  renameSync(writeBeside(path, content, mode), path)
  syncFolder(dirname(path))
}

/** A removal that no loss of power takes back. */
export function removeFile(path: string): void {
  unlinkSync(path)
  syncFolder(dirname(path))
}

function writeBeside(path: string, content: string, mode: number): string {
  const part = `${path}.${process.pid}`
  const file = openSync(part, 'w', privateMode)
  try {
    // Whatever the umask of the process is.
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
