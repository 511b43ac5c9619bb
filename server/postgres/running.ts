import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { databaseUrl, type ServiceUrls, serviceUrls } from './bootstrap-store.ts'

/** Files of a Postgres folder that hold the passwords of the service's roles, for nobody but who starts the server. */
export const passwordFiles = { owner: 'password', api: 'api-password', worker: 'worker-password' }

/**
 * Address of the embedded Postgres that another process started on `dataDir`, for the owner of the schema; undefined when
 * none ever did. Rejects when the caller may not read the password. Whether the server still runs, connecting tells.
 */
export async function runningPostgresUrl(dataDir: string): Promise<string | undefined> {
  const port = await portOf(dataDir)
  return port ? databaseUrl({ port, password: await readOr(dataDir, passwordFiles.owner) }) : undefined
}

/** The same for API and worker. */
export async function runningServiceUrls(dataDir: string): Promise<ServiceUrls | undefined> {
  const port = await portOf(dataDir)
  if (!port) return undefined
  const [apiPassword, workerPassword] = await Promise.all([
    readOr(dataDir, passwordFiles.api),
    readOr(dataDir, passwordFiles.worker),
  ])
  return serviceUrls({ port, apiPassword, workerPassword })
}

const portOf = async (dataDir: string) => Number(await readOr(dataDir, 'port'))

async function readOr(dataDir: string, name: string): Promise<string> {
  const text = await readFile(join(dataDir, name), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  return text.trim()
}
