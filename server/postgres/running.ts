import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { databaseUrl, type ServiceUrls, serviceUrls, superuserUrl } from './bootstrap-store.ts'

/**
 * Files in a Postgres folder with the passwords of the service's roles, readable only for the account that starts the
 * server.
 */
export const passwordFiles = {
  owner: 'password',
  api: 'api-password',
  worker: 'worker-password',
  operator: 'operator-password',
  superuser: 'superuser-password',
}

/**
 * Address of the embedded Postgres that another process started on `dataDir`, for the owner of the schema; undefined
 * if it was never started. Rejects when the caller may not read the password. The server may have ended: only a
 * connection shows that.
 */
export async function runningPostgresUrl(dataDir: string): Promise<string | undefined> {
  const port = await portOf(dataDir)
  return port ? databaseUrl({ port, password: await readOr(dataDir, passwordFiles.owner) }) : undefined
}

/** The same for the superuser. */
export async function runningSuperuserUrl(dataDir: string): Promise<string | undefined> {
  const port = await portOf(dataDir)
  return port
    ? superuserUrl({ port, superuserPassword: await readOr(dataDir, passwordFiles.superuser) })
    : undefined
}

/** The same for the roles of the processes. */
export async function runningServiceUrls(dataDir: string): Promise<ServiceUrls | undefined> {
  const port = await portOf(dataDir)
  if (!port) return undefined
  const [apiPassword, workerPassword, operatorPassword] = await Promise.all([
    readOr(dataDir, passwordFiles.api),
    readOr(dataDir, passwordFiles.worker),
    readOr(dataDir, passwordFiles.operator),
  ])
  return serviceUrls({ port, apiPassword, workerPassword, operatorPassword })
}

const portOf = async (dataDir: string) => Number(await readOr(dataDir, 'port'))

async function readOr(dataDir: string, name: string): Promise<string> {
  const text = await readFile(join(dataDir, name), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  return text.trim()
}
