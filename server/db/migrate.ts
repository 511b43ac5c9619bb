import { type Migration, type MigrationProvider, Migrator } from 'kysely/migration'
import type { Database } from './database.ts'
import * as platform from './migrations/0001-platform.ts'
import * as environments from './migrations/0002-environments.ts'
import * as tasks from './migrations/0003-tasks.ts'
import * as runs from './migrations/0004-runs.ts'
import * as settings from './migrations/0005-settings.ts'
import * as scripts from './migrations/0006-scripts.ts'
import * as retention from './migrations/0007-retention.ts'
import * as companyQueue from './migrations/0008-company-queue.ts'
import * as provenance from './migrations/0015-provenance.ts'

/** Forward only, in order of their names. */
const migrations: Record<string, Migration> = {
  '0001-platform': platform,
  '0002-environments': environments,
  '0003-tasks': tasks,
  '0004-runs': runs,
  '0005-settings': settings,
  '0006-scripts': scripts,
  '0007-retention': retention,
  '0008-company-queue': companyQueue,
  '0015-provenance': provenance,
}

const provider: MigrationProvider = { getMigrations: async () => migrations }

/** Brings the database to the present schema; safe to call from several processes at once. */
export async function migrate(db: Database): Promise<void> {
  const { error, results } = await new Migrator({ db, provider }).migrateToLatest()
  if (!error) return
  const failed = results?.find((result) => result.status === 'Error')?.migrationName ?? 'unknown'
  throw new Error(`database migration ${failed} failed`, { cause: error })
}
