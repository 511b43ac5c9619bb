import { endRunHere } from '@sandbox-jobs/server/main/operator/operator-runs.ts'
import { Command } from 'commander'
import { reasonText } from '../../../args/reason-text.ts'
import { CliError, exitCodes } from '../../../failure.ts'
import { withLocalService } from '../../../session/local-service.ts'

interface Options {
  reason: string
  json?: boolean
}

export const operatorRunCommand = (): Command =>
  new Command('run').description('runs of any company').addCommand(endCommand())

const endCommand = (): Command =>
  new Command('end')
    .description('end a run that waits or is at work, whose processes get no time to end')
    .argument('<run>', 'its id')
    .requiredOption('--reason <text>', 'reason, for the audit log', reasonText)
    .option('--json', 'print one JSON document')
    .action((run: string, { reason, ...options }: Options) =>
      withLocalService(
        options,
        () => endRunHere(run, reason),
        (company) => {
          if (company === undefined) throw unknown
          return { text: `${run} of ${company} ends within seconds.\n`, document: { run, company } }
        },
      ),
    )

const unknown = new CliError('No run of that id waits or is at work.', {
  hint: 'sandbox top shows the runs that have not ended.',
  code: 'cli_run_unknown',
  exitCode: exitCodes.failed,
})
