import { existsSync, linkSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'

/** What a file holds, making it when it is missing. */
export const readOrMake = (path: string, make: () => string): string =>
  existsSync(path) ? readFileSync(path, 'utf8') : keepFirst(path, make())

/** Written aside and linked into place, so that of two processes that start at once both read one whole file. */
export function keepFirst(path: string, content: string): string {
  const part = `${path}.${process.pid}`
  writeFileSync(part, content, { mode: 0o600 })
  try {
    linkSync(part, path)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  } finally {
    unlinkSync(part)
  }
  return readFileSync(path, 'utf8')
}
