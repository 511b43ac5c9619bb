import { execFile } from 'node:child_process'
import { cp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { checkout } from '../main-job/service.ts'

const run = promisify(execFile)
const maxBuffer = 64 * 1024 ** 2

/** How the machine reaches packages; a container gets the same from its host. */
const packageSettings = [
  '/etc/apt',
  '/etc/hosts',
  '/etc/npmrc',
  '/etc/resolv.conf',
  '/etc/ssl/certs/ca-certificates.crt',
  '/root/.npmrc',
  '/usr/share/keyrings',
]

const { NODE_EXTRA_CA_CERTS } = process.env

/** Variables that a command in the root has in its environment, apart from PATH. */
export const rootEnvironment = {
  HOME: '/root',
  LANG: 'C.UTF-8',
  ...(NODE_EXTRA_CA_CERTS !== undefined && { NODE_EXTRA_CA_CERTS }),
}

export const suites = ['bookworm', 'trixie']

/** Makes a new Debian root in an empty folder: `packages` beside the essential ones, and a clone of this checkout in `/sandbox-jobs`. */
export async function makeDebianRoot(
  folder: string,
  suite: string,
  packages: readonly string[] = [],
): Promise<void> {
  const include = ['ca-certificates', ...packages].join(',')
  await run('mmdebstrap', ['--variant=minbase', `--include=${include}`, suite, folder], { maxBuffer })
  // Those of the machine are for its own release.
  const sources = await readFile(join(folder, 'etc/apt/sources.list'))
  for (const path of packageSettings) {
    await cp(path, join(folder, path), { recursive: true, force: true, dereference: true }).catch(
      ignoreMissing,
    )
  }
  await writeFile(join(folder, 'etc/apt/sources.list'), sources)
  await rm(join(folder, 'etc/apt/sources.list.d'), { recursive: true, force: true })
  await run('git', ['clone', '--quiet', checkout, join(folder, 'sandbox-jobs')])
}

const ignoreMissing = (error: NodeJS.ErrnoException) => {
  if (error.code !== 'ENOENT') throw error
}
