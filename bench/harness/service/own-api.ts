import { join } from 'node:path'
import { keysFolder, openKeys } from '../../../server/base/keys/keys.ts'
import { freePort } from '../../../server/postgres/free-port.ts'
import { type NodeServer, startNodeServer } from './node-server.ts'
import type { OwnDatabase } from './own-database.ts'
import { type BenchTenant, makeTenants } from './tenants.ts'

/** The service's API process alone: its runs stay queued. */
export interface OwnApi extends NodeServer {
  tenants: BenchTenant[]
}

/** Database connections of the API and of its peer. */
export const apiDatabaseConnections = 12

/**
 * Starts the API of a hosted deployment, which bounds only the queue of each company, with companies in its database.
 */
export async function startApi(
  { db, url, folder }: OwnDatabase,
  tenantCount: number,
  env: Record<string, string> = {},
): Promise<OwnApi> {
  const dataDir = join(folder, 'data')
  const pepper = openKeys(keysFolder(dataDir)).peppers.present().key
  const tenants = await makeTenants(db, { companies: tenantCount, roomsEach: 1, pepper })
  const port = await freePort()
  const server = await startNodeServer({
    script: new URL('../../../server/main/api.ts', import.meta.url).pathname,
    env: {
      SANDBOX_DATA: dataDir,
      SANDBOX_PORT: String(port),
      SANDBOX_DEPLOYMENT: 'hosted',
      SANDBOX_LOG_LEVEL: 'error',
      SANDBOX_DATABASE_POOL_SIZE: String(apiDatabaseConnections),
      DATABASE_URL: url,
      ...env,
    },
    port,
    path: '/public/info/sandbox/regions',
  })
  return { ...server, tenants }
}
