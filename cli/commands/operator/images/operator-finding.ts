import { block, unblock } from '@sandbox-jobs/server/main/operator/operator-findings.ts'
import { Command } from 'commander'
import { reasonText } from '../../../args/reason-text.ts'
import { CliError } from '../../../failure.ts'
import { withLocalService } from '../../../session/local-service.ts'

interface Options {
  json?: boolean
}

export const operatorFindingCommand = (): Command =>
  new Command('finding')
    .description('forbid or allow exceptions of scan findings')
    .addCommand(
      new Command('block')
        .description('forbid exceptions of a finding, and end its current exception')
        .argument('<finding>', 'id of the finding (fnd_…), see sandbox findings')
        .requiredOption('--reason <text>', 'reason, for the audit log', reasonText)
        .option('--json', 'print one JSON document')
        .action((id: string, { reason, ...options }: Options & { reason: string }) =>
          report(id, options, () => block(id, reason), 'blocked'),
        ),
    )
    .addCommand(
      new Command('unblock')
        .description('allow exceptions of a finding again')
        .argument('<finding>', 'id (fnd_…)')
        .option('--json', 'print one JSON document')
        .action((id: string, options: Options) => report(id, options, () => unblock(id), 'unblocked')),
    )
    .addHelpText('after', '\nRun it on the machine of the service.')

const report = (id: string, options: Options, act: () => ReturnType<typeof unblock>, done: string) =>
  withLocalService(options, act, (changed) => {
    if (changed) return { text: `${id} is ${done}.\n`, document: { id, state: done } }
    throw new CliError('No finding has that id, or its state does not allow this.', {
      hint: 'sandbox findings ENVIRONMENT lists them; nothing was changed.',
      code: 'cli_unknown_name',
    })
  })
