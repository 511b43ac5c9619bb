import { execFile } from 'node:child_process'
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const buildDeb = resolve(import.meta.dirname, '../../tools/package/build-deb.sh')
const maxBuffer = 64 * 1024 ** 2

/** Files of packages, each of a later version than the one before. */
export interface Packages {
  /** Of this checkout. */
  former: string
  /** The same with a migration that adds to the schema. */
  expanded: string
  /** The same with one that takes away too. */
  contracted: string
}

const fixtures = join(import.meta.dirname, 'migrations')
const expansion = '0002-expand-upgrade-tests'
const contraction = '0003-contract-upgrade-tests'

/** Builds the package of this checkout in the folder, and two that upgrade it. */
export async function buildPackages(folder: string): Promise<Packages> {
  await mkdir(folder, { recursive: true })
  const { stdout } = await run(buildDeb, [folder], { maxBuffer })
  const former = stdout.trim()
  const expanded = await laterPackage(folder, { before: former, version: '+1', migration: expansion })
  const contracted = await laterPackage(folder, { before: expanded, version: '+2', migration: contraction })
  return { former, expanded, contracted }
}

interface Later {
  /** File of the package that it upgrades. */
  before: string
  /** Part of its version behind that of this checkout. */
  version: string
  migration: string
}

async function laterPackage(folder: string, { before, version, migration }: Later): Promise<string> {
  const tree = join(folder, migration)
  await run('dpkg-deb', ['--raw-extract', before, tree])
  const database = join(tree, 'usr/lib/sandbox-jobs/server/db')
  await copyFile(join(fixtures, `${migration}.ts`), join(database, 'migrations', `${migration}.ts`))
  await change(join(database, 'migrate.ts'), [
    [/^import/m, `import * as added${version.slice(1)} from './migrations/${migration}.ts'\nimport`],
    [/^}\n/m, `  '${migration}': added${version.slice(1)},\n}\n`],
  ])
  await change(join(tree, 'DEBIAN/control'), [[/^(Version: [^+\n]*).*$/m, `$1${version}`]])
  const file = join(folder, `${migration}.deb`)
  await run('dpkg-deb', ['--root-owner-group', '-Znone', '--build', tree, file], { maxBuffer })
  return file
}

/** Replaces parts of a file. Each has to be there. */
async function change(file: string, parts: [RegExp, string][]): Promise<void> {
  let text = await readFile(file, 'utf8')
  for (const [part, replacement] of parts) {
    if (!part.test(text)) throw new Error(`${file} has no ${part}`)
    text = text.replace(part, replacement)
  }
  await writeFile(file, text)
}
