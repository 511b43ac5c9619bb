import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Checks that the schema of each release stays as it is, because databases have it: a migration of a tagged release never changes, and
 * a later one has the next number and says whether it only adds (`expand`) or also takes away (`contract`).
 */
const root = join(import.meta.dirname, '..')
const released = ['server/db/schema', 'server/db/first-schema.ts', 'server/db/migrations']
const folder = 'server/db/migrations/'
/** Changes that a program from before cannot work with. */
const takesAway =
  /\bdrop\s+(table|column|view|function|type|schema)\b|\brename\b|\bset\s+not\s+null\b|\balter\s+column\s+\S+\s+(set\s+data\s+)?type\b/i

const git = (...argv: string[]): string[] =>
  execFileSync('git', argv, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 ** 2 })
    .split('\n')
    .filter(Boolean)

const faults = new Set<string>()
for (const tag of git('tag', '--list', 'v[0-9]*', '--merged', 'HEAD'))
  for (const path of git('diff', '--name-only', '--no-renames', '--diff-filter=a', tag, '--', ...released))
    faults.add(
      `${path} is of release ${tag}: leave it as it is, and write a migration (docs/checklists/add-a-table.md)`,
    )

const names = git('ls-files', '--cached', '--others', '--exclude-standard', folder)
  .filter((path) => existsSync(join(root, path)))
  .map((path) => path.slice(folder.length))
for (const [index, name] of names.toSorted().entries()) {
  const number = String(index + 1).padStart(4, '0')
  const [, phase] = /^\d{4}-(expand|contract)-[a-z0-9-]+[.]ts$/.exec(name) ?? []
  if (!name.startsWith(`${number}-`) || (index > 0 && phase === undefined))
    faults.add(
      `${folder}${name}: the name of this migration begins with ${number}-expand- or ${number}-contract-`,
    )
  if (phase === 'expand' && takesAway.test(readFileSync(join(root, folder, name), 'utf8')))
    faults.add(
      `${folder}${name}: what takes something away or renames it is a migration of its own, named contract`,
    )
}
for (const fault of faults) console.error(fault)
if (faults.size > 0) process.exitCode = 1
