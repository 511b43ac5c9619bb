import { makeBackup } from '@sandbox-jobs/server/main/operator/backups/operator-backup.ts'
import { Command } from 'commander'
import { createReporter } from '../../../output/reporter.ts'
import { explainBy, settingsHint } from '../../../session/local-service.ts'
import { onThisMachine } from '../../../session/on-this-machine.ts'

export const operatorBackupCommand = (): Command =>
  new Command('backup')
    .description('copy database, keys and objects together; the service may run meanwhile')
    .argument('<folder>', 'target folder; it must not exist or must be empty')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      '\nRun it as root on the machine of the service. The backup contains keys: protect it like the data folder,' +
        '\nor set SANDBOX_BACKUP_RECIPIENTS, to whose public keys it is then encrypted. With SANDBOX_S3_BUCKET it has no objects.' +
        '\n\nExample:\n  sandbox operator backup /backups/2026-11-23',
    )
    .action(async (folder: string, options: { json?: boolean }) => {
      const report = createReporter(options.json === true)
      await onThisMachine(report, () => makeBackup(folder, (text) => report.progress(text)), {
        render: ({ madeAt, files, bytes, tables, recipients, objectsIn, copiedTo }) => {
          const rows = tables.reduce((sum, table) => sum + table.rows, 0)
          const kind = recipients ? 'encrypted ' : ''
          const copy = copiedTo === undefined ? '' : `It was copied to ${copiedTo}.\n`
          const without =
            objectsIn === undefined
              ? ''
              : `It has no objects: they are in the ${objectsIn}, which has to be backed up by itself.\n`
          return {
            text: `The ${kind}backup in ${folder} is complete: ${rows} rows, ${files} files, ${bytes} bytes.\n${without}${copy}`,
            document: {
              ...{ folder, made_at: madeAt, rows, files, bytes, encrypted: recipients !== undefined },
              objects_in: objectsIn ?? null,
              copied_to: copiedTo ?? null,
            },
          }
        },
        explain: explainBy(hints),
      })
    })

const hints = {
  settings: settingsHint,
  service: 'Run it on the machine of the service, as root.',
  backup: 'Nothing of the service was changed. An interrupted backup is marked INCOMPLETE.',
}
