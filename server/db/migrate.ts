import { type Migration, Migrator } from 'kysely/migration'
import type { Database } from './database.ts'
import { firstMigration } from './first-schema.ts'
import * as schema from './migrations/0001-schema.ts'
import { checkRecord, listOwnMigrations } from './recorded-migrations.ts'

type Migrations = Readonly<Record<string, Migration>>

/** Forward only, in order of their names. */
export const migrations: Migrations = {
  [firstMigration]: schema,
}

/**
 * Migrates the database to the schema of this program: all migrations that are missing, in one transaction and under a lock of the
 * database. Safe to call from several processes at once, and to kill. Additions of later releases stay.
 */
export async function migrate(db: Database, wanted = migrations): Promise<void> {
  const known = Object.keys(wanted)
  const recorded = await listOwnMigrations(db, known)
  checkRecord(recorded, known)
  if (recorded.length === known.length) return
  const provider = { getMigrations: async () => ({ ...wanted }) }
  const { error, results } = await new Migrator({ db, provider }).migrateToLatest()
  if (!error) return
  const failed = results?.find((result) => result.status === 'Error')?.migrationName ?? 'unknown'
  throw new Error(`database migration ${failed} failed`, { cause: error })
}

/** Migrates an empty database to the schema of the release that recorded these migrations. */
export const migrateToRelease = (db: Database, recorded: readonly string[]): Promise<void> =>
  migrate(db, Object.fromEntries(Object.entries(migrations).filter(([name]) => recorded.includes(name))))
