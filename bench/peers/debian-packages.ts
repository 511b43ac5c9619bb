import { execFile } from 'node:child_process'
import { access, chmod, rm, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)
const policy = '/usr/sbin/policy-rc.d'

/** Installs Debian packages unless `program` exists, without starting their services. */
export async function ensureProgram(program: string, packages: readonly string[]): Promise<void> {
  if (await exists(program)) return
  const hadPolicy = await exists(policy)
  if (!hadPolicy) {
    await writeFile(policy, '#!/bin/sh\nexit 101\n')
    await chmod(policy, 0o755)
  }
  try {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    const install = () =>
      run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], { env })
    await install().catch(async () => {
      await run('apt-get', ['update', '-qq'], { env })
      await install()
    })
  } catch (error) {
    throw new Error(`apt-get install ${packages.join(' ')} failed: ${String(error).slice(0, 300)}`)
  } finally {
    if (!hadPolicy) await rm(policy, { force: true })
  }
  if (!(await exists(program))) throw new Error(`${packages.join(' ')} does not contain ${program}`)
}

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  )
