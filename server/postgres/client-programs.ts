import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

export type ClientName = 'psql' | 'pg_dump'

export interface ClientProgram {
  path: string
  /** Major version. */
  major: number
}

/** Debian installs one version beside another. */
const clientFolders = ['/usr/lib/postgresql/*/bin', '/usr/local/bin', '/usr/bin']

/** The newest program of that name on this machine; the embedded Postgres has none. */
export async function newestClient(
  name: ClientName,
  folders: readonly string[] = clientFolders,
): Promise<ClientProgram | undefined> {
  const paths = globSync(folders.map((folder) => join(folder, name)))
  const found = await Promise.all(paths.map(programAt))
  return found.flatMap((program) => program ?? []).toSorted((a, b) => b.major - a.major)[0]
}

async function programAt(path: string): Promise<ClientProgram | undefined> {
  const { stdout } = await promisify(execFile)(path, ['--version']).catch(() => ({ stdout: '' }))
  const major = /\(PostgreSQL\) (\d+)/.exec(stdout)?.[1]
  return major === undefined ? undefined : { path, major: Number(major) }
}
