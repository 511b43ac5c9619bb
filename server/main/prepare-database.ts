import { parseArgs } from 'node:util'
import { readConfig } from '../base/config/config.ts'
import { createLog } from '../base/logging.ts'
import { connect } from '../db/database.ts'
import { migrateWhenAvailable } from '../db/migrate.ts'
import { SchemaProblem } from '../db/recorded-migrations.ts'
import { grantServiceRights } from '../db/service-rights-store.ts'
import { exitCodes } from './supervisor/service-problem.ts'

/*
 * Migrates the database to the schema of this program, as the schema's owner, before API and worker start under other
 * roles. `--api`, `--worker` and `--operator` name those roles; without them all log in as the owner.
 */
const { values } = parseArgs({
  options: { api: { type: 'string' }, worker: { type: 'string' }, operator: { type: 'string' } },
})
const { databaseUrl, logLevel } = readConfig()
if (!databaseUrl) throw new Error('no database: set DATABASE_URL')

const log = createLog('database', logLevel)
const db = connect(databaseUrl, { poolSize: 1, log, name: 'owner' })
try {
  await migrateWhenAvailable(db, log)
  const { api, worker, operator } = values
  if (api && worker) await grantServiceRights(db, { api, worker, operator })
} catch (error) {
  if (!(error instanceof SchemaProblem)) throw error
  log.fatal({ error: error.slug }, error.message)
  process.exitCode = exitCodes.dataFolder
} finally {
  await db.destroy()
}
