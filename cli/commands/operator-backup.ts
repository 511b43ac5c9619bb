import { makeBackup } from '@sandbox-jobs/server/main/operator-backup.ts'
import { Command } from 'commander'
import { CliError, exitCodes } from '../failure.ts'
import { createReporter } from '../output/reporter.ts'
import { onThisMachine } from '../session/on-this-machine.ts'

export const operatorBackupCommand = (): Command =>
  new Command('backup')
    .description('copy database, keys and objects together; the service may run meanwhile')
    .argument('<folder>', 'where to: it must not exist, or be empty')
    .option('--json', 'one JSON document')
    .addHelpText(
      'after',
      '\nTo be run as root on the machine of the service. The folder holds keys: keep it as safe as the data folder.' +
        '\n\nExample:\n  sandbox operator backup /backups/2026-11-23',
    )
    .action(async (folder: string, options: { json?: boolean }) => {
      const report = createReporter(options.json === true)
      await onThisMachine(report, () => makeBackup(folder, (text) => report.progress(text)), {
        render: ({ madeAt, files, bytes, tables }) => {
          const rows = tables.reduce((sum, table) => sum + table.rows, 0)
          return {
            text: `The backup in ${folder} is whole: ${rows} rows, ${files} files, ${bytes} bytes.\n`,
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
  settings: 'Correct the settings; docs/operations.md lists them.',
  service: 'Run it on the machine of the service, as root.',
  backup: 'Nothing of the service was changed. A backup that was broken off is marked INCOMPLETE.',
}
