import { parseArgs } from 'node:util'
import { readConfig } from '../base/config/config.ts'
import { createLog } from '../base/logging.ts'
import { connect } from '../db/database.ts'
import { migrate } from '../db/migrate.ts'
import { SchemaProblem } from '../db/recorded-migrations.ts'
import { grantServiceRights } from '../db/service-rights-store.ts'
import { whenAvailable } from '../db/when-available.ts'
import { checkConnections, checkSessions } from './database-checks.ts'
import { exitCodes, ServiceProblem } from './supervisor/service-problem.ts'

/*
 * Checks that the service can work with the database and migrates it to the schema of this program, as the schema's owner,
 * before API and worker start under other roles. `--api`, `--worker` and `--operator` name those roles; without them all log
 * in as the owner.
 */
const { values } = parseArgs({
  options: { api: { type: 'string' }, worker: { type: 'string' }, operator: { type: 'string' } },
})
const config = readConfig()
const { databaseUrl, logLevel } = config
if (!databaseUrl) throw new Error('no database: set DATABASE_URL')

const log = createLog('database', logLevel)
const db = connect(databaseUrl, { poolSize: 2, log, name: 'owner' })
try {
  await whenAvailable(async () => {
    await checkSessions(db)
    await checkConnections(db, config)
    await migrate(db)
  }, log)
  const { api, worker, operator } = values
  if (api && worker) await grantServiceRights(db, { api, worker, operator })
} catch (error) {
  if (error instanceof SchemaProblem) {
    log.fatal({ error: error.slug }, error.message)
    process.exitCode = exitCodes.dataFolder
  } else if (error instanceof ServiceProblem) {
    log.fatal(error.message)
    process.exitCode = error.exitCode
  } else throw error
} finally {
  await db.destroy()
}
