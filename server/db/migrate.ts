import { type Migration, type MigrationProvider, Migrator } from 'kysely/migration'
import { sleep } from '../base/clock.ts'
import type { Log } from '../base/logging.ts'
import { type Database, isDatabaseAway } from './database.ts'
import * as platform from './migrations/0001-platform.ts'
import * as environments from './migrations/0002-environments.ts'
import * as tasks from './migrations/0003-tasks.ts'
import * as runs from './migrations/0004-runs.ts'
import * as settings from './migrations/0005-settings.ts'
import * as scripts from './migrations/0006-scripts.ts'
import * as retention from './migrations/0007-retention.ts'
import * as companyQueue from './migrations/0008-company-queue.ts'
import * as turnsAndCounts from './migrations/0009-turns-and-counts.ts'
import * as isolation from './migrations/0010-isolation.ts'
import * as findings from './migrations/0011-findings.ts'
import * as provenance from './migrations/0012-provenance.ts'
import * as buildFence from './migrations/0013-build-fence.ts'
import * as digestBlocks from './migrations/0014-digest-blocks.ts'
import * as operatorLimits from './migrations/0015-operator-limits.ts'
import * as liveLogs from './migrations/0016-live-logs.ts'
import * as countsByDay from './migrations/0017-counts-by-day.ts'
import * as allowLists from './migrations/0019-allow-lists.ts'
import * as runRefusals from './migrations/0020-run-refusals.ts'
import * as buildCache from './migrations/0022-build-cache.ts'
import * as liveBuildLogs from './migrations/0024-live-build-logs.ts'
import * as buildDetails from './migrations/0025-build-details.ts'
import * as curatedEnvironments from './migrations/0026-curated-environments.ts'
import * as pulledImages from './migrations/0031-pulled-images.ts'
import * as submissionCost from './migrations/0032-submission-cost.ts'
import * as buildPrefixes from './migrations/0033-build-prefixes.ts'
import * as operatorActs from './migrations/0038-operator-acts.ts'
import * as answeredRuns from './migrations/0039-answered-runs.ts'
import * as madeRuns from './migrations/0040-made-runs.ts'
import * as prefixesByAttempt from './migrations/0041-prefixes-by-attempt.ts'
import * as receivedKeys from './migrations/0042-received-keys.ts'
import * as buildLogs from './migrations/0043-build-logs.ts'
import * as machines from './migrations/0046-machines.ts'
import * as unreturnedClaims from './migrations/0047-unreturned-claims.ts'
import * as runLanes from './migrations/0050-run-lanes.ts'
import * as keptBytes from './migrations/0056-kept-bytes.ts'
import * as removalFailures from './migrations/0057-removal-failures.ts'
import * as pepperNumbers from './migrations/0064-pepper-numbers.ts'
import * as loginAttempts from './migrations/0070-login-attempts.ts'

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
  '0009-turns-and-counts': turnsAndCounts,
  '0010-isolation': isolation,
  '0011-findings': findings,
  '0012-provenance': provenance,
  '0013-build-fence': buildFence,
  '0014-digest-blocks': digestBlocks,
  '0015-operator-limits': operatorLimits,
  '0016-live-logs': liveLogs,
  '0017-counts-by-day': countsByDay,
  '0019-allow-lists': allowLists,
  '0020-run-refusals': runRefusals,
  '0022-build-cache': buildCache,
  '0024-live-build-logs': liveBuildLogs,
  '0025-build-details': buildDetails,
  '0026-curated-environments': curatedEnvironments,
  '0031-pulled-images': pulledImages,
  '0032-submission-cost': submissionCost,
  '0033-build-prefixes': buildPrefixes,
  '0038-operator-acts': operatorActs,
  '0039-answered-runs': answeredRuns,
  '0040-made-runs': madeRuns,
  '0041-prefixes-by-attempt': prefixesByAttempt,
  '0042-received-keys': receivedKeys,
  '0043-build-logs': buildLogs,
  '0046-machines': machines,
  '0047-unreturned-claims': unreturnedClaims,
  '0050-run-lanes': runLanes,
  '0056-kept-bytes': keptBytes,
  '0057-removal-failures': removalFailures,
  '0064-pepper-numbers': pepperNumbers,
  '0070-login-attempts': loginAttempts,
}

/** What the schema that this program works on is made of. */
export const migrationNames: readonly string[] = Object.keys(migrations)

const providerOf = (some: Record<string, Migration>): MigrationProvider => ({
  getMigrations: async () => some,
})

/** Brings the database to the present schema; safe to call from several processes at once. */
export const migrate = (db: Database): Promise<void> => migrateWith(db, providerOf(migrations))

/** Brings an empty database to the schema of an earlier release, by the names of all its migrations. */
export async function migrateToRelease(db: Database, names: readonly string[]): Promise<void> {
  const ofRelease = Object.entries(migrations).filter(([name]) => names.includes(name))
  await migrateWith(db, providerOf(Object.fromEntries(ofRelease)))
}

/** Those of a later release. */
export const unknownMigrations = (names: readonly string[]): string[] =>
  names.filter((name) => !Object.hasOwn(migrations, name))

async function migrateWith(db: Database, provider: MigrationProvider): Promise<void> {
  const { error, results } = await new Migrator({ db, provider }).migrateToLatest()
  if (!error) return
  const failed = results?.find((result) => result.status === 'Error')?.migrationName ?? 'unknown'
  throw new Error(`database migration ${failed} failed`, { cause: error })
}

const patienceMs = 30_000
const pauseMs = 100

/** The same for a process that starts: a database that is starting too is waited for. */
export async function migrateWhenThere(db: Database, log: Log): Promise<void> {
  const giveUpAtMs = performance.now() + patienceMs
  for (;;) {
    try {
      return await migrate(db)
    } catch (error) {
      const cause = error instanceof Error ? error.cause : undefined
      if (!isDatabaseAway(cause) || performance.now() > giveUpAtMs) throw error
      log.info('the database is not there yet')
    }
    await sleep(pauseMs)
  }
}
