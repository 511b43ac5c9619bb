import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { checkout } from '../main-job/service.ts'
import type { PackageSource } from './package-server.ts'

const run = promisify(execFile)

/** Of the Debian package python3-tabulate, which `check` installs. */
const module = '/usr/lib/python3/dist-packages/tabulate.py'
const version = '0.8.9'
const wheel = `tabulate-${version}-py3-none-any.whl`

/** An index for pip with one package. */
export const pythonSource: PackageSource = async (path) => {
  if (path === 'simple/tabulate/') {
    return { type: 'text/html', body: Buffer.from(`<a href="../../${wheel}">${wheel}</a>`) }
  }
  return path === wheel ? { type: 'application/octet-stream', body: await tabulateWheel() } : undefined
}

/** The module as a package that pip installs: a zip with its metadata. */
async function tabulateWheel(): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'wheel-'))
  const info = `tabulate-${version}.dist-info`
  const files = {
    METADATA: `Metadata-Version: 2.1\nName: tabulate\nVersion: ${version}\n`,
    WHEEL: 'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
    RECORD: 'tabulate.py,,\n',
  }
  try {
    await mkdir(join(folder, info))
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, info, name), text)
    await copyFile(module, join(folder, 'tabulate.py')).catch(() => {
      throw new Error(`${module} is missing: apt-get install python3-tabulate`)
    })
    await run('python3', ['-m', 'zipfile', '-c', wheel, 'tabulate.py', info], { cwd: folder })
    return await readFile(join(folder, wheel))
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** A registry for npm with the packages of the Node.js example, which npm itself fetches for this machine. */
export async function nodeSource(address: string): Promise<PackageSource> {
  const file = join(checkout, 'examples/node-packages/image/package-lock.json')
  const lock = JSON.parse(await readFile(file, 'utf8')) as {
    packages: Record<string, { version: string; integrity?: string }>
  }
  const files = new Map<string, { type: string; body: Buffer }>()
  for (const [path, { version: packed, integrity }] of Object.entries(lock.packages)) {
    const name = path.replace(/^node_modules\//, '')
    if (name === '') continue
    const body = await npmPack(`${name}@${packed}`)
    const archive = `${name}/-/${name}-${packed}.tgz`
    const dist = { tarball: `${address}/${archive}`, integrity }
    const document = { name, 'dist-tags': {}, versions: { [packed]: { name, version: packed, dist } } }
    files.set(archive, { type: 'application/octet-stream', body })
    files.set(name, { type: 'application/json', body: Buffer.from(JSON.stringify(document)) })
  }
  return async (path) => files.get(path)
}

async function npmPack(name: string): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'npm-pack-'))
  try {
    await run('npm', ['pack', name, '--pack-destination', folder], { cwd: folder })
    const [file = ''] = await readdir(folder)
    return await readFile(join(folder, file))
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** An archive of Debian packages: apt itself fetches from `address` what is asked for. */
export const debianSource =
  (address: string): PackageSource =>
  async (path) => {
    const folder = await mkdtemp(join(tmpdir(), 'apt-fetch-'))
    const file = join(folder, 'file')
    try {
      await run('/usr/lib/apt/apt-helper', ['download-file', `${address.replace(/\/$/, '')}/${path}`, file])
      return { type: 'application/octet-stream', body: await readFile(file) }
    } catch {
      // It does not say whether the archive has no such file; apt goes on in either case.
      return undefined
    } finally {
      await rm(folder, { recursive: true })
    }
  }

/** The archives that this machine uses, by the last folder of their addresses. */
export async function debianArchives(): Promise<Map<string, string>> {
  const { stdout } = await run('apt-get', ['indextargets', '--format', '$(ORIGIN)|$(REPO_URI)'])
  const addresses = stdout.split('\n').flatMap((line) => (line.startsWith('Debian|') ? [line.slice(7)] : []))
  return new Map(
    addresses.map((address) => [
      new URL(address).pathname.split('/').findLast((part) => part !== '') ?? '',
      address,
    ]),
  )
}
