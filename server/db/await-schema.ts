import { sleep } from '../base/clock.ts'
import type { Log } from '../base/logging.ts'
import { type Database, isDatabaseAway } from './database.ts'
import { missingMigrations } from './migrate.ts'
import { listMigrations } from './recorded-migrations.ts'

const patienceMs = 30_000
const pauseMs = 100

/**
 * Resolves when the database answers and has the schema of this program, which who may change it has brought it to
 * (`main/prepare-database.ts`). Rejects when its schema is older.
 */
export async function awaitSchema(db: Database, log: Log): Promise<void> {
  const giveUpAtMs = performance.now() + patienceMs
  for (;;) {
    try {
      const [missing] = missingMigrations(await listMigrations(db))
      if (missing === undefined) return
      throw new Error(
        `the database lacks ${missing}: start the service with sandbox up, which brings it there`,
      )
    } catch (error) {
      if (!isDatabaseAway(error) || performance.now() > giveUpAtMs) throw error
      log.info('the database is not there yet')
    }
    await sleep(pauseMs)
  }
}
