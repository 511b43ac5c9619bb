import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createLog } from '../../../server/base/logging.ts'
import { connect, type Database } from '../../../server/db/database.ts'
import { migrate } from '../../../server/db/migrate.ts'
import { startPostgres } from '../../../server/postgres/postgres.ts'

/** The service's own Postgres with only its schema, every write synced; `stop` removes it. */
export interface OwnDatabase {
  db: Database
  url: string
  /** For files that are removed with the database; other accounts may pass through it. */
  folder: string
  /** Process id of the server. */
  pid: number
  stop(): Promise<void>
}

/** On disk: measured writes must really be synced. */
const parent = '/var/tmp'

export async function startDatabase(poolSize: number): Promise<OwnDatabase> {
  const folder = await mkdtemp(join(parent, 'sandbox-bench-'))
  try {
    await chmod(folder, 0o711)
    const postgres = await startPostgres({ dataDir: join(folder, 'postgres') })
    const db = connect(postgres.url, { poolSize, log: createLog('bench', 'error'), name: 'bench' })
    const stop = async () => {
      await db.destroy()
      await postgres.stop()
      await rm(folder, { recursive: true, force: true })
    }
    try {
      await migrate(db)
      return { db, url: postgres.url, folder, pid: postgres.pid, stop }
    } catch (error) {
      await stop()
      throw error
    }
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}
