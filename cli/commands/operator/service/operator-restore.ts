import { restoreBackup } from '@sandbox-jobs/server/main/operator/backups/operator-restore.ts'
import { Command } from 'commander'
import { timeOrAge } from '../../../args/time-or-age.ts'
import { createReporter } from '../../../output/reporter.ts'
import { explainBy, settingsHint } from '../../../session/local-service.ts'
import { onThisMachine } from '../../../session/on-this-machine.ts'

export const operatorRestoreCommand = (): Command =>
  new Command('restore')
    .description('restore a backup into a new data folder')
    .argument('<folder>', 'folder of a complete backup; with --until that of scheduled backups')
    .option('--until <time>', 'the moment to restore: a time, or how long ago, such as 10m', timeOrAge)
    .option('--identity <file>', 'age identity that opens an encrypted backup')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      '\nRun it as root. SANDBOX_DATA names the new data folder; DATABASE_URL, if set, an empty database.' +
        '\nRuns that had not ended when the backup was made end as restored_from_backup: they may have run since.' +
        '\nRow events whose run was not queued by then are refused with the same code.' +
        '\n\nExample:\n  SANDBOX_DATA=/var/lib/sandbox-jobs sandbox operator restore /backups/2026-11-23' +
        '\n  SANDBOX_DATA=/var/lib/sandbox-jobs sandbox operator restore /backups --until 2026-11-23T14:05:00Z',
    )
    .action(async (folder: string, options: { identity?: string; until?: Date; json?: boolean }) => {
      const report = createReporter(options.json === true)
      await onThisMachine(
        report,
        () =>
          restoreBackup({ folder, identityFile: options.identity, until: options.until }, (text) =>
            report.progress(text),
          ),
        {
          render: ({ dataDir, madeAt, until, rows, files, endedRuns, refusedEvents, objectsIn }) => ({
            text:
              (until
                ? `Restored the moment ${until.toISOString()} to ${dataDir}, from the backup of ${madeAt}: ${files} files.\n`
                : `Restored the backup of ${madeAt} to ${dataDir}: ${rows} rows, ${files} files.\n`) +
              `${endedRuns} unfinished runs ended as restored_from_backup, and ${refusedEvents} row events that waited for\n` +
              'their run were refused with that code. Start the service with sandbox up.\n' +
              (objectsIn === undefined
                ? ''
                : `The backup has no objects: they were in the ${objectsIn}, which SANDBOX_S3_BUCKET has to name.\n`),
            document: {
              data_dir: dataDir,
              made_at: madeAt,
              until: until?.toISOString() ?? null,
              rows: rows ?? null,
              files,
              ended_runs: endedRuns,
              refused_events: refusedEvents,
              objects_in: objectsIn ?? null,
            },
          }),
          explain: explainBy(hints),
        },
      )
    })

const hints = {
  settings: settingsHint,
  backup:
    'docs/operations/backup.md lists what a restore needs. If it had started, remove the new data folder first.',
}
