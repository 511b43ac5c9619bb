import type { Log } from '../base/logging.ts'
import type { Database } from './database.ts'
import { migrations } from './migrate.ts'
import { checkRecord, listOwnMigrations } from './recorded-migrations.ts'
import { whenAvailable } from './when-available.ts'

/**
 * Resolves when the database answers and has the schema of this program (`main/prepare-database.ts` migrates it, under the
 * role that owns the schema). Rejects if the schema is of another release.
 */
export const awaitSchema = (db: Database, log: Log): Promise<void> =>
  whenAvailable(async () => {
    const known = Object.keys(migrations)
    const recorded = await listOwnMigrations(db, known)
    checkRecord(recorded, known)
    const missing = known.find((name) => !recorded.includes(name))
    if (missing !== undefined)
      throw new Error(`the database lacks ${missing}: start the service with sandbox up, which migrates it`)
  }, log)
