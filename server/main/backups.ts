import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { systemClock } from '../base/clock.ts'
import { lowerPriority } from '../base/priority/lower-priority.ts'
import { awaitSchema } from '../db/await-schema.ts'
import { connect } from '../db/database.ts'
import { backUp } from '../operations/backup/back-up.ts'
import { BackupFolder } from '../operations/backup/schedule/backup-folder.ts'
import { ScheduledBackups } from '../operations/backup/schedule/scheduled-backups.ts'
import { RestoreTrials } from '../operations/backup/trial/restore-trials.ts'
import { removeScratch, tryRestore } from '../operations/backup/trial/try-restore.ts'
import { measureProcess } from '../operations/metrics/own-metrics.ts'
import { startMetricsReport } from '../operations/metrics/report-metrics.ts'
import manifest from '../package.json' with { type: 'json' }
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
  const backups = new ScheduledBackups({
    folder,
    times: config.backupTimes,
    keep: {
      daily: config.backupKeepDaily,
      weekly: config.backupKeepWeekly,
      monthly: config.backupKeepMonthly,
    },
    space: config,
    make: (target, signal) =>
      backUp({
        ...{ db, dataDir, target, signal, clock: systemClock },
        release: manifest.version,
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
    tryOne: (source, signal) => tryRestore({ source, scratch, server, signal }),
  })
  const tick = async (signal: AbortSignal) => {
    if (await backups.turn(signal)) await trials.turn(signal)
  }
  const isMeasured = config.metricsListen !== undefined
  if (isMeasured) measureProcess('backups')
  const loops = [
    startTicker({ name: 'backups', tick, intervalMs: lookEveryMs, log }),
    ...(isMeasured ? [startMetricsReport({ db, process: 'backups', log })] : []),
  ]
  return {
    stop: async () => {
      await Promise.all(loops.map((loop) => loop.stop()))
      await db.destroy()
    },
  }
})
