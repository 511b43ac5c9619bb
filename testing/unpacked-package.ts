import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
/** Root's own, for later runs. */
const kept = '/var/lib/sandbox-jobs-test'

/** The folder of a Debian package that is unpacked and not installed: the package would start a service. */
export async function unpackedPackage(name: string): Promise<string> {
  const folder = join(kept, name)
  if (!existsSync(folder)) await unpack(name, folder)
  return folder
}

async function unpack(name: string, into: string): Promise<void> {
  mkdirSync(kept, { recursive: true })
  const folder = mkdtempSync(`${into}-`)
  await run('apt-get', ['download', '-o', 'APT::Sandbox::User=root', name], { cwd: folder })
  const [file] = readdirSync(folder)
  if (file === undefined) throw new Error('apt-get has downloaded nothing')
  await run('dpkg-deb', ['-x', file, '.'], { cwd: folder })
  rmSync(join(folder, file))
  renameSync(folder, into)
}
