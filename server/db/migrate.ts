import { type Migration, Migrator } from 'kysely/migration'
import { sleep } from '../base/clock.ts'
import type { Log } from '../base/logging.ts'
import { appliedMigrations, baselineName, baselineParts, hasBaselineParts } from './baseline.ts'
import { type Database, isDatabaseAway } from './database.ts'
import * as baseline from './migrations/0070-baseline.ts'
import { listMigrations } from './recorded-migrations.ts'

type Migrations = Readonly<Record<string, Migration>>

/** Forward only, in order of their names. */
export const migrations: Migrations = {
  [baselineName]: baseline,
}

/** Brings the database to the present schema; safe to call from several processes at once. */
export async function migrate(db: Database, wanted = migrations): Promise<void> {
  const adopted = hasBaselineParts(await listMigrations(db))
  const provider = { getMigrations: async () => (adopted ? inParts(wanted) : { ...wanted }) }
  const { error, results } = await new Migrator({ db, provider }).migrateToLatest()
  if (!error) return
  const failed = results?.find((result) => result.status === 'Error')?.migrationName ?? 'unknown'
  throw new Error(`database migration ${failed} failed`, { cause: error })
}

/** The same with the baseline as the record of an older database has it. */
function inParts(wanted: Migrations): Record<string, Migration> {
  const applied: Migration = { up: () => Promise.reject(new Error('a part of the baseline is missing')) }
  const parts = baselineParts.map((name) => [name, applied] as const)
  const later = Object.entries(wanted).filter(([name]) => name !== baselineName)
  return Object.fromEntries([...parts, ...later])
}

/** Brings an empty database to the schema of a release by the record of its migrations. */
export async function migrateToRelease(db: Database, recorded: readonly string[]): Promise<void> {
  const names = appliedMigrations(recorded)
  await migrate(db, Object.fromEntries(Object.entries(migrations).filter(([name]) => names.includes(name))))
}

/** Those of this program that a record lacks, and those of a later release. */
export const missingMigrations = (recorded: readonly string[]): string[] =>
  Object.keys(migrations).filter((name) => !appliedMigrations(recorded).includes(name))
export const unknownMigrations = (recorded: readonly string[]): string[] =>
  appliedMigrations(recorded).filter((name) => !Object.hasOwn(migrations, name))

const patienceMs = 30_000
const pauseMs = 100

/** The same for a process that starts: a database that is starting too is waited for. */
export async function migrateWhenThere(db: Database, log: Log): Promise<void> {
  const giveUpAtMs = performance.now() + patienceMs
  for (;;) {
    try {
      return await migrate(db)
    } catch (error) {
      const cause = error instanceof Error ? (error.cause ?? error) : error
      if (!isDatabaseAway(cause) || performance.now() > giveUpAtMs) throw error
      log.info('the database is not there yet')
    }
    await sleep(pauseMs)
  }
}
