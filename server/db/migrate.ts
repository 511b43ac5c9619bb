import { type Migration, Migrator } from 'kysely/migration'
import { sleep } from '../base/clock.ts'
import type { Log } from '../base/logging.ts'
import { appliedMigrations, baselineName, baselineParts, hasBaselineParts } from './baseline.ts'
import { type Database, isDatabaseUnavailable } from './database.ts'
import * as baseline from './migrations/0070-baseline.ts'
import * as stateWatches from './migrations/0080-state-watches.ts'
import * as signedLinks from './migrations/0081-signed-links.ts'
import * as secrets from './migrations/0090-secrets.ts'
import * as agents from './migrations/0100-agents.ts'
import * as refusedArtifacts from './migrations/0120-refused-artifacts.ts'
import * as runFiles from './migrations/0130-run-files.ts'
import * as buildNetwork from './migrations/0150-build-network.ts'
import * as networkCache from './migrations/0151-network-cache.ts'
import * as finalBase from './migrations/0160-final-base.ts'
import * as customTables from './migrations/0161-custom-tables.ts'
import * as outputCallbacks from './migrations/0162-output-callbacks.ts'
import * as notifications from './migrations/0163-notifications.ts'
import * as roomMessages from './migrations/0164-room-messages.ts'
import * as webhooks from './migrations/0165-webhooks.ts'
import * as oauth from './migrations/0166-oauth.ts'
import * as billing from './migrations/0190-billing.ts'
import * as tableTriggers from './migrations/0200-table-triggers.ts'
import * as outputEffects from './migrations/0201-output-effects.ts'
import * as auditLog from './migrations/0210-audit-log.ts'
import * as auditors from './migrations/0211-auditors.ts'
import * as sessions from './migrations/0220-sessions.ts'
import * as doors from './migrations/0230-doors.ts'
import * as baseImages from './migrations/0240-base-images.ts'
import * as slowWebhooks from './migrations/0250-slow-webhooks.ts'
import * as mail from './migrations/0251-mail.ts'
import * as terminalDoors from './migrations/0260-terminal-doors.ts'
import * as sessionFolders from './migrations/0261-session-folders.ts'
import * as countDefinitions from './migrations/0295-count-definitions.ts'
import * as resultRecords from './migrations/0300-result-records.ts'
import * as countTasks from './migrations/0305-count-tasks.ts'
import * as trimWaits from './migrations/0306-trim-waits.ts'
import * as openFindings from './migrations/0310-open-findings.ts'
import * as countFindings from './migrations/0311-count-findings.ts'
import * as findingHistory from './migrations/0312-finding-history.ts'
import * as lastingBlocks from './migrations/0313-lasting-blocks.ts'
import * as countRows from './migrations/0315-count-rows.ts'
import * as stateEvents from './migrations/0316-state-events.ts'
import * as countRuns from './migrations/0317-count-runs.ts'
import * as buildMemoryTurn from './migrations/0325-build-memory-turn.ts'
import * as countRecords from './migrations/0340-count-records.ts'
import * as secretEnvelopes from './migrations/0341-secret-envelopes.ts'
import * as reservedTraffic from './migrations/0342-reserved-traffic.ts'
import * as favoriteChatrooms from './migrations/0343-favorite-chatrooms.ts'
import * as remediationReminders from './migrations/0344-remediation-reminders.ts'
import * as auditContext from './migrations/0360-audit-context.ts'
import * as runnerHandoffs from './migrations/0362-runner-handoffs.ts'
import * as imageRenewals from './migrations/0363-image-renewals.ts'
import { listMigrations } from './recorded-migrations.ts'

type Migrations = Readonly<Record<string, Migration>>

/** Forward only, in order of their names. */
export const migrations: Migrations = {
  [baselineName]: baseline,
  '0080-state-watches': stateWatches,
  '0081-signed-links': signedLinks,
  '0090-secrets': secrets,
  '0100-agents': agents,
  '0120-refused-artifacts': refusedArtifacts,
  '0130-run-files': runFiles,
  '0150-build-network': buildNetwork,
  '0151-network-cache': networkCache,
  '0160-final-base': finalBase,
  '0161-custom-tables': customTables,
  '0162-output-callbacks': outputCallbacks,
  '0163-notifications': notifications,
  '0164-room-messages': roomMessages,
  '0165-webhooks': webhooks,
  '0166-oauth': oauth,
  '0190-billing': billing,
  '0200-table-triggers': tableTriggers,
  '0201-output-effects': outputEffects,
  '0210-audit-log': auditLog,
  '0211-auditors': auditors,
  '0220-sessions': sessions,
  '0230-doors': doors,
  '0240-base-images': baseImages,
  '0250-slow-webhooks': slowWebhooks,
  '0251-mail': mail,
  '0260-terminal-doors': terminalDoors,
  '0261-session-folders': sessionFolders,
  '0295-count-definitions': countDefinitions,
  '0300-result-records': resultRecords,
  '0305-count-tasks': countTasks,
  '0306-trim-waits': trimWaits,
  '0310-open-findings': openFindings,
  '0311-count-findings': countFindings,
  '0312-finding-history': findingHistory,
  '0313-lasting-blocks': lastingBlocks,
  '0315-count-rows': countRows,
  '0316-state-events': stateEvents,
  '0317-count-runs': countRuns,
  '0325-build-memory-turn': buildMemoryTurn,
  '0340-count-records': countRecords,
  '0341-secret-envelopes': secretEnvelopes,
  '0342-reserved-traffic': reservedTraffic,
  '0343-favorite-chatrooms': favoriteChatrooms,
  '0344-remediation-reminders': remediationReminders,
  '0360-audit-context': auditContext,
  '0362-runner-handoffs': runnerHandoffs,
  '0363-image-renewals': imageRenewals,
}

/** Migrates the database to the current schema. Safe to call from several processes at once. */
export async function migrate(db: Database, wanted = migrations): Promise<void> {
  const adopted = hasBaselineParts(await listMigrations(db))
  const provider = { getMigrations: async () => (adopted ? withBaselineParts(wanted) : { ...wanted }) }
  const { error, results } = await new Migrator({ db, provider }).migrateToLatest()
  if (!error) return
  const failed = results?.find((result) => result.status === 'Error')?.migrationName ?? 'unknown'
  throw new Error(`database migration ${failed} failed`, { cause: error })
}

/** The migrations with the baseline replaced by its parts, as an older database recorded them. */
function withBaselineParts(wanted: Migrations): Record<string, Migration> {
  const applied: Migration = { up: () => Promise.reject(new Error('a part of the baseline is missing')) }
  const parts = baselineParts.map((name) => [name, applied] as const)
  const later = Object.entries(wanted).filter(([name]) => name !== baselineName)
  return Object.fromEntries([...parts, ...later])
}

/** Migrates an empty database to the schema of the release that recorded these migrations. */
export async function migrateToRelease(db: Database, recorded: readonly string[]): Promise<void> {
  const names = appliedMigrations(recorded)
  await migrate(db, Object.fromEntries(Object.entries(migrations).filter(([name]) => names.includes(name))))
}

/** Migrations of this program that are not recorded, and recorded migrations of a later release. */
export const missingMigrations = (recorded: readonly string[]): string[] =>
  Object.keys(migrations).filter((name) => !appliedMigrations(recorded).includes(name))
export const unknownMigrations = (recorded: readonly string[]): string[] =>
  appliedMigrations(recorded).filter((name) => !Object.hasOwn(migrations, name))

const giveUpAfterMs = 30_000
const pauseMs = 100

/** Migrates when a process starts; waits for a database that is still starting. */
export async function migrateWhenAvailable(db: Database, log: Log): Promise<void> {
  const giveUpAtMs = performance.now() + giveUpAfterMs
  for (;;) {
    try {
      return await migrate(db)
    } catch (error) {
      const cause = error instanceof Error ? (error.cause ?? error) : error
      if (!isDatabaseUnavailable(cause) || performance.now() > giveUpAtMs) throw error
      log.info('the database is not available yet')
    }
    await sleep(pauseMs)
  }
}
