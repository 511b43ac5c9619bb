import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../../..')
const folders = ['contract/ignore-file', 'reader', 'server/images', 'server/builds']

/**
 * The digest of the code that reads archives, runs builders and scans images, with the Node version: results of one release
 * are not reused by another. No version number has to be raised by hand when a rule changes.
 */
export function programDigest(release: string): string {
  const hash = createHash('sha256').update(JSON.stringify([release, process.version, process.arch]))
  const files = globSync(
    folders.map((folder) => `${folder}/**/*.ts`),
    { cwd: root },
  ).filter((name) => !name.endsWith('.test.ts'))
  for (const name of files.sort()) {
    hash.update(JSON.stringify([name, readFileSync(resolve(root, name), 'utf8')]))
  }
  return `sha256:${hash.digest('hex')}`
}
