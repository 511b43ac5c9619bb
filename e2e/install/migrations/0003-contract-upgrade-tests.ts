import { existsSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'

const folder = '/var/tmp/upgrade-tests'

/** Removes the column. While the folder has `hold`, it then waits, so that it can be killed within its transaction. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table companies drop column upgrade_tests`.execute(db)
  while (existsSync(`${folder}/hold`)) {
    writeFileSync(`${folder}/waits`, '')
    await sleep(100)
  }
}
