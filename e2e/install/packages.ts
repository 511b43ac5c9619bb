import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const buildDeb = resolve(import.meta.dirname, '../../tools/package/build-deb.sh')
const maxBuffer = 64 * 1024 ** 2

export interface Packages {
  present: string
  /** The same content with a later version. */
  next: string
}

/** Builds the package of this checkout in the folder, and one that upgrades it. */
export async function buildPackages(folder: string): Promise<Packages> {
  await mkdir(folder, { recursive: true })
  const { stdout } = await run(buildDeb, [folder], { maxBuffer })
  const present = stdout.trim()
  const tree = join(folder, 'next')
  await run('dpkg-deb', ['--raw-extract', present, tree])
  const control = join(tree, 'DEBIAN/control')
  await writeFile(control, (await readFile(control, 'utf8')).replace(/^Version: .*$/m, '$&+next'))
  const next = join(folder, 'next.deb')
  await run('dpkg-deb', ['--root-owner-group', '-Znone', '--build', tree, next], { maxBuffer })
  return { present, next }
}
