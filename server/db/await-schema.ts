import { sleep } from '../base/clock.ts'
import type { Log } from '../base/logging.ts'
import { type Database, isDatabaseUnavailable } from './database.ts'
import { migrations } from './migrate.ts'
import { checkRecord, listOwnMigrations } from './recorded-migrations.ts'

const giveUpAfterMs = 30_000
const pauseMs = 100

/**
 * Resolves when the database answers and has the schema of this program (`main/prepare-database.ts` migrates it, under the
 * role that owns the schema). Rejects if the schema is of another release.
 */
export async function awaitSchema(db: Database, log: Log): Promise<void> {
  const giveUpAtMs = performance.now() + giveUpAfterMs
  for (;;) {
    try {
      const known = Object.keys(migrations)
      const recorded = await listOwnMigrations(db, known)
      checkRecord(recorded, known)
      const missing = known.find((name) => !recorded.includes(name))
      if (missing === undefined) return
      throw new Error(`the database lacks ${missing}: start the service with sandbox up, which migrates it`)
    } catch (error) {
      if (!isDatabaseUnavailable(error) || performance.now() > giveUpAtMs) throw error
      log.info('the database is not available yet')
    }
    await sleep(pauseMs)
  }
}
