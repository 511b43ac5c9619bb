import { execFile } from 'node:child_process'
import { access, mkdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Peers are not dependencies of the project: they are installed outside it, in a folder for each version. */
const parent = '/var/lib/sandbox-jobs-test/peers'

/** Installs a package once, without its scripts, and returns the path of its entry. */
export async function ensureNpmPackage(name: string, version: string): Promise<string> {
  const folder = join(parent, `${name}-${version}`)
  const entry = () => createRequire(join(folder, 'package.json')).resolve(name)
  const isThere = await access(join(folder, 'node_modules', name)).then(
    () => true,
    () => false,
  )
  if (isThere) return entry()
  await mkdir(folder, { recursive: true })
  await run('npm', ['install', '--silent', '--ignore-scripts', '--prefix', folder, `${name}@${version}`])
  return entry()
}
