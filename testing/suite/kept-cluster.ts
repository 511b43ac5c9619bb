import { execFileSync } from 'node:child_process'
import { createHash, type Hash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'

/*
 * A stopped cluster with the template is kept between test runs, named by a digest of all that it is made of: a copy of it
 * starts in a third of the time that a new one takes.
 */

const root = resolve(import.meta.dirname, '../..')
const kept = join(root, 'node_modules/.cache/test-postgres')
const madeOf = [
  'server/db/{migrate,recorded-migrations}.ts',
  'server/db/{migrations,schema}/*',
  'server/postgres/*.ts',
  'testing/database/database-names.ts',
  'testing/suite/{global-setup,kept-cluster}.ts',
  'package-lock.json',
]

function digestOf(patterns: readonly string[]): string {
  const add = (hash: Hash, path: string) => hash.update(`${path}\0`).update(readFileSync(join(root, path)))
  return globSync(patterns, { cwd: root }).toSorted().reduce(add, createHash('sha256')).digest('hex')
}

/** Copies the kept cluster into an empty folder. False if there is none, or another run replaces it: the folder is empty then. */
export function copyKept(folder: string): boolean {
  const source = join(kept, digestOf(madeOf))
  if (!existsSync(source)) return false
  try {
    copy(source, folder)
    return true
  } catch {
    for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true })
    return false
  }
}

/** Keeps the stopped cluster of a folder, and no other. */
export function keep(folder: string): void {
  mkdirSync(kept, { recursive: true })
  const name = digestOf(madeOf)
  const fresh = join(kept, `${name}.${process.pid}`)
  copy(folder, fresh)
  // Each copy chooses a port of its own.
  rmSync(join(fresh, 'port'))
  for (const other of readdirSync(kept))
    if (!other.includes('.')) rmSync(join(kept, other), { recursive: true })
  renameSync(fresh, join(kept, name))
}

const copy = (from: string, to: string) => execFileSync('cp', ['--archive', `${from}/.`, to])
