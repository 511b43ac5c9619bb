import { sql } from 'kysely'
import { sleep } from '../base/clock.ts'
import type { Log } from '../base/logging.ts'
import { type Database, isDatabaseAway } from './database.ts'
import { listOf } from './list-of.ts'
import { migrationNames } from './migrate.ts'

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
      const { rows } = await sql<{ name: string }>`
        select name from unnest(${listOf(migrationNames, 'text')}) as wanted (name)
        where name not in (select done.name from kysely_migration done) limit 1`.execute(db)
      if (!rows[0]) return
      throw new Error(
        `the database lacks ${rows[0].name}: start the service with sandbox up, which brings it there`,
      )
    } catch (error) {
      if (!isDatabaseAway(error) || performance.now() > giveUpAtMs) throw error
      log.info('the database is not there yet')
    }
    await sleep(pauseMs)
  }
}
