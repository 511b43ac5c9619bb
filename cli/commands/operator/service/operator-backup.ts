import { makeBackup } from '@sandbox-jobs/server/main/operator/operator-backup.ts'
import { Command } from 'commander'
import { CliError, exitCodes } from '../../../failure.ts'
import { createReporter } from '../../../output/reporter.ts'
import { onThisMachine } from '../../../session/on-this-machine.ts'

export const operatorBackupCommand = (): Command =>
  new Command('backup')
    .description('copy database, keys and objects together; the service may run meanwhile')
    .argument('<folder>', 'target folder; it must not exist or must be empty')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      '\nRun it as root on the machine of the service. The backup contains keys: protect it like the data folder.' +
        '\n\nExample:\n  sandbox operator backup /backups/2026-11-23',
    )
    .action(async (folder: string, options: { json?: boolean }) => {
      const report = createReporter(options.json === true)
      await onThisMachine(report, () => makeBackup(folder, (text) => report.progress(text)), {
        render: ({ madeAt, files, bytes, tables }) => {
          const rows = tables.reduce((sum, table) => sum + table.rows, 0)
          return {
            text: `The backup in ${folder} is complete: ${rows} rows, ${files} files, ${bytes} bytes.\n`,
            document: { folder, made_at: madeAt, rows, files, bytes },
          }
        },
        explain: ({ cause, problems }) =>
          new CliError(problems.join('\n'), {
            hint: hints[cause],
            code: `cli_operator_${cause}`,
            exitCode: cause === 'service' ? exitCodes.failed : exitCodes.usage,
          }),
      })
    })

const hints = {
  settings: 'Correct the settings; docs/operations/settings.md lists them.',
  service: 'Run it on the machine of the service, as root.',
  backup: 'Nothing of the service was changed. An interrupted backup is marked INCOMPLETE.',
}
