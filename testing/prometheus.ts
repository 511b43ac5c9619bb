import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
/** Root's own, for later runs. */
const kept = '/var/lib/sandbox-jobs-test/prometheus'

/** Debian's own Prometheus, unpacked and not installed: the package would start a service. */
export async function prometheusPrograms(): Promise<{ prometheus: string; promtool: string }> {
  if (!existsSync(kept)) await unpack()
  return { prometheus: join(kept, 'usr/bin/prometheus'), promtool: join(kept, 'usr/bin/promtool') }
}

async function unpack(): Promise<void> {
  mkdirSync(join(kept, '..'), { recursive: true })
  const folder = mkdtempSync(`${kept}-`)
  await run('apt-get', ['download', '-o', 'APT::Sandbox::User=root', 'prometheus'], { cwd: folder })
  const [file] = readdirSync(folder)
  if (file === undefined) throw new Error('apt-get has downloaded nothing')
  await run('dpkg-deb', ['-x', file, '.'], { cwd: folder })
  rmSync(join(folder, file))
  renameSync(folder, kept)
}
