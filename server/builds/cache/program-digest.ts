import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'

const folder = resolve(import.meta.dirname, '..')

/**
 * Over the program that reads archives, runs builders and looks through images, and what runs it: what one release
 * found or made is no answer for another. Nobody has to think of a number when a rule changes.
 */
export function programDigest(release: string): string {
  const hash = createHash('sha256').update(JSON.stringify([release, process.version, process.arch]))
  const files = globSync('**/*.ts', { cwd: folder }).filter((name) => !name.endsWith('.test.ts'))
  for (const name of files.sort()) {
    hash.update(JSON.stringify([name, readFileSync(resolve(folder, name), 'utf8')]))
  }
  return `sha256:${hash.digest('hex')}`
}
