import { installUnit, removeUnit } from '@sandbox-jobs/server/main/operator/install-unit.ts'
import { Command } from 'commander'
import { withOperator } from '../../../session/operator.ts'

interface Options {
  remove?: boolean
  json?: boolean
}

export const operatorInstallUnitCommand = (): Command =>
  new Command('install-unit')
    .description('install the systemd units of this clone, which start the service at boot')
    .option('--remove', 'stop the service and remove the units')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      '\nSettings of the service are in /etc/sandbox-jobs/environment. The Debian package has units.',
    )
    .action((options: Options) =>
      withOperator(options, undefined, options.remove ? removeUnit : installUnit, (done) => ({
        text: `${done.join('\n')}\n`,
        document: { done },
      })),
    )
