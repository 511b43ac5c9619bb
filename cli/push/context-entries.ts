import { lstat, readdir, readlink, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { CliError } from '../failure.ts'
import { escapeControls } from '../output/escape-controls.ts'
import { type LeftOut, readLeftOut } from './left-out.ts'

/** One entry of a build context, with its path in the context. */
export type ContextEntry =
  | { kind: 'file'; path: string; mode: number; byteSize: number }
  | { kind: 'directory'; path: string; mode: number }
  | { kind: 'link'; path: string; target: string }

export interface ContextEntries {
  entries: ContextEntry[]
  leftOut: LeftOut
}

/**
 * The entries below a folder that the build sees, in a fixed order, without following links. Refuses before the upload what the
 * service would refuse after it: special files, links that leave the folder, and invalid names.
 */
export async function contextEntries(folder: string): Promise<ContextEntries> {
  const entries: ContextEntry[] = []
  const leftOut = await readLeftOut(folder)
  await collect(folder, '', { entries, leftOut })
  await requireDockerfile(folder, entries)
  return { entries, leftOut }
}

/** The service follows a link inside the folder. */
async function requireDockerfile(folder: string, entries: ContextEntry[]): Promise<void> {
  const dockerfile = entries.find((entry) => entry.path === 'Dockerfile')
  if (!dockerfile || dockerfile.kind === 'directory') {
    throw new CliError(`There is no Dockerfile in ${folder}.`, {
      hint: 'Name the folder that contains it: sandbox env push DIR --name NAME.',
      code: 'cli_no_dockerfile',
    })
  }
  if (dockerfile.kind !== 'link') return
  const isFile = await stat(join(folder, 'Dockerfile')).then(
    (found) => found.isFile(),
    () => false,
  )
  if (!isFile)
    throw refused(
      'Dockerfile',
      `is a link that leads to no file, to ${dockerfile.target}`,
      'Put a copy of the file there.',
    )
}

const folderProblems: Record<string, string> = { ENOENT: 'does not exist', ENOTDIR: 'is not a folder' }

async function collect(folder: string, prefix: string, found: ContextEntries): Promise<void> {
  const { entries, leftOut } = found
  const names = await readdir(join(folder, prefix)).catch((error: NodeJS.ErrnoException) => {
    const problem = folderProblems[error.code ?? ''] ?? `cannot be read (${error.code})`
    throw refused(prefix || folder, problem, 'Name a readable folder that contains the Dockerfile.')
  })
  for (const name of names.sort()) {
    const path = prefix === '' ? name : `${prefix}/${name}`
    const isLeftOut = leftOut.has(path)
    if (isLeftOut && !leftOut.mayHaveExceptions(path)) {
      leftOut.count += 1
      continue
    }
    const status = await lstat(join(folder, path))
    if (isLeftOut) {
      if (status.isDirectory()) await collect(folder, path, found)
      else leftOut.count += 1
      continue
    }
    if (escapeControls(name) !== name || name.includes('\\') || name.includes('\ufffd')) {
      throw refused(
        path,
        'has a name that is not allowed in archives',
        'Rename it: no control characters, no \\.',
      )
    }
    if (status.isFile())
      entries.push({ kind: 'file', path, mode: status.mode & 0o777, byteSize: status.size })
    else if (status.isSymbolicLink()) entries.push(await linkEntry(folder, path))
    else if (status.isDirectory()) {
      entries.push({ kind: 'directory', path, mode: status.mode & 0o777 })
      await collect(folder, path, found)
    } else
      throw refused(
        path,
        'is not a file, folder or link',
        'Move it out of the folder, or name it in .dockerignore.',
      )
  }
}

async function linkEntry(folder: string, path: string): Promise<ContextEntry> {
  const target = await readlink(join(folder, path))
  if (staysInside(path, target)) return { kind: 'link', path, target }
  throw refused(path, `is a link that leads out of the folder, to ${target}`, 'Put a copy of the file there.')
}

/** A link may start with `../` as long as it stays inside the folder; after that it may only name entries. */
export function staysInside(path: string, target: string): boolean {
  if (target === '' || target.startsWith('/') || target.includes('\\')) return false
  const segments = target.split('/').filter((segment) => segment !== '' && segment !== '.')
  const ups = segments.findIndex((segment) => segment !== '..')
  const leading = ups === -1 ? segments.length : ups
  if (segments.slice(leading).includes('..')) return false
  return leading <= path.split('/').length - 1
}

const refused = (path: string, problem: string, hint: string) =>
  new CliError(`${escapeControls(path)} ${problem}.`, { hint, code: 'cli_context' })
