import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { databaseUrl } from './bootstrap-store.ts'

/**
 * Address of the embedded Postgres that another process started on `dataDir`, undefined when none ever did.
 * Rejects when the caller may not read the password. Whether the server still runs, connecting tells.
 */
export async function runningPostgresUrl(dataDir: string): Promise<string | undefined> {
  const read = (name: string) =>
    readFile(join(dataDir, name), 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return ''
      throw error
    })
  const port = Number(await read('port'))
  if (!port) return undefined
  return databaseUrl({ port, password: (await read('password')).trim() })
}
