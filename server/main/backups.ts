import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { systemClock } from '../base/clock.ts'
import type { Config } from '../base/config/config.ts'
import type { Log } from '../base/logging.ts'
import { lowerPriority } from '../base/priority/lower-priority.ts'
import { awaitSchema } from '../db/await-schema.ts'
import { connect, type Database } from '../db/database.ts'
import { ArchiveFolder } from '../operations/backup/archive/archive-folder.ts'
import { WalArchive } from '../operations/backup/archive/wal-archive.ts'
import { backUp } from '../operations/backup/back-up.ts'
import { configuredRemote } from '../operations/backup/remote/configured-remote.ts'
import { RemoteBackups } from '../operations/backup/remote/remote-backups.ts'
import { RemoteCopies } from '../operations/backup/remote/remote-copies.ts'
import { BackupFolder } from '../operations/backup/schedule/backup-folder.ts'
import { keepRulesOf } from '../operations/backup/schedule/retention.ts'
import { ScheduledBackups } from '../operations/backup/schedule/scheduled-backups.ts'
import { RestoreTrials } from '../operations/backup/trial/restore-trials.ts'
import { removeScratch, tryRestore } from '../operations/backup/trial/try-restore.ts'
import { measureProcess } from '../operations/metrics/own-metrics.ts'
import { startMetricsReport } from '../operations/metrics/report-metrics.ts'
import manifest from '../package.json' with { type: 'json' }
import { runningSuperuserUrl } from '../postgres/running.ts'
import { bucketName } from '../storage/open-storage.ts'
import { startTicker } from '../work/ticker.ts'
import { runRole } from './run-role.ts'
import { withoutCores } from './supervisor/processes/service-roles.ts'
import { exitCodes, ServiceProblem } from './supervisor/service-problem.ts'

const { values } = parseArgs({
  options: { machine: { type: 'string' }, 'not-dumpable': { type: 'string' } },
})
const { machine, 'not-dumpable': notDumpable } = values
const lookEveryMs = 60_000

/**
 * The process of scheduled backups. It reads all keys and all rows, as `sandbox operator backup` does, so it is root and uses the
 * database as the owner of the schema. It listens nowhere.
 */
await runRole('backups', async (config, log) => {
  const { databaseUrl, dataDir, backupFolder } = config
  if (backupFolder === undefined || machine === undefined || notDumpable === undefined)
    throw new ServiceProblem(exitCodes.configuration, 'the process of backups is started by sandbox up')
  lowerPriority()
  const db = connect(databaseUrl, { poolSize: 2, log, name: 'backups' })
  await awaitSchema(db, log)
  const folder = new BackupFolder(backupFolder, machine)
  const walArchive = await archiveOf(config, { folder, log })
  const backups = new ScheduledBackups({
    folder,
    times: config.backupTimes,
    keep: keepRulesOf(config),
    space: config,
    needsAnother: (newest) => walArchive?.archive.needsBackup(newest) ?? false,
    make: (target, signal) =>
      backUp({
        ...{ db, dataDir, target, signal, clock: systemClock },
        recipients: config.backupRecipients,
        release: manifest.version,
        objectsIn: bucketName(config),
        clusterUrl: walArchive?.superuserUrl,
        say: (step) => log.debug({ backup: target, step }, 'backup'),
      }),
    clock: systemClock,
    log,
  })
  const scratch = join(dataDir, 'restore-trial')
  const server = {
    user: config.postgresUser,
    through: (argv: string[]) => withoutCores({ notDumpable }, argv),
  }
  const trials = new RestoreTrials({
    ...{ folder, space: config, clock: systemClock, log },
    days: config.backupTrialDays,
    wasInterrupted: await removeScratch(scratch),
    tryOne: (source, signal) =>
      tryRestore({ source, scratch, server, signal, identityFile: config.backupIdentityFile }),
  })
  const copies = copiesOf(config, { folder, machine, log })
  const tick = async (signal: AbortSignal) => {
    if (await backups.turn(signal)) await trials.turn(signal)
  }
  const isMeasured = config.metricsListen !== undefined
  if (isMeasured) measureProcess('backups')
  const tickers = [
    { name: 'backups', tick },
    ...(copies ? [{ name: 'backup copies', tick: (signal: AbortSignal) => copies.turn(signal) }] : []),
    ...(walArchive
      ? [{ name: 'write-ahead log', tick: (signal: AbortSignal) => walArchive.archive.turn(signal) }]
      : []),
  ]
  const loops = [
    ...tickers.map((ticker) => startTicker({ ...ticker, intervalMs: lookEveryMs, log })),
    ...(isMeasured
      ? [startMetricsReport({ db, reporter: { executor: machine, process: 'backups' }, log })]
      : []),
  ]
  return {
    stop: async () => {
      await Promise.all(loops.map((loop) => loop.stop()))
      await Promise.all([db.destroy(), walArchive?.db.destroy()])
    },
  }
})

interface ConfiguredArchive {
  archive: WalArchive
  superuserUrl: string
  /** The connection of the superuser, for the log alone. */
  db: Database
}

/** Undefined: no log is archived. */
async function archiveOf(
  config: Config,
  { folder, log }: { folder: BackupFolder; log: Log },
): Promise<ConfiguredArchive | undefined> {
  const { backupWalBytes: mostBytes, backupRecipients, dataDir } = config
  if (mostBytes === undefined) return undefined
  const superuserUrl = await runningSuperuserUrl(join(dataDir, 'postgres'))
  if (superuserUrl === undefined)
    throw new ServiceProblem(exitCodes.configuration, 'the log of the embedded database alone is archived')
  const db = connect(superuserUrl, { poolSize: 1, log, name: 'write-ahead log' })
  const archive = new WalArchive({
    ...{ db, folder, mostBytes, log, space: config, clock: systemClock },
    archive: new ArchiveFolder(folder.path, backupRecipients),
    walDir: join(dataDir, 'postgres/cluster/pg_wal'),
  })
  return { archive, superuserUrl, db }
}

/** Copies last long and do not keep the next backup waiting. */
function copiesOf(
  config: Config,
  parts: { folder: BackupFolder; machine: string; log: Log },
): RemoteCopies | undefined {
  const remote = configuredRemote(config)
  return (
    remote &&
    new RemoteCopies({
      ...parts,
      remote: new RemoteBackups(remote),
      remotePath: remote.path,
      keep: keepRulesOf(config),
      clock: systemClock,
    })
  )
}
