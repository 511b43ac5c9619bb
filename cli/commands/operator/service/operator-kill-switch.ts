import { turnSwitchOffHere, turnSwitchOnHere } from '@sandbox-jobs/server/main/operator/operator-switch.ts'
import { Command } from 'commander'
import { withLocalService } from '../../../session/local-service.ts'

interface Options {
  json?: boolean
}

export const operatorKillSwitchCommand = (): Command =>
  new Command('kill-switch')
    .description('refuse every change of all companies except cancel, download, login and the directory')
    .addCommand(onCommand())
    .addCommand(offCommand())

const onCommand = (): Command =>
  new Command('on')
    .description('refuse changes; runs and builds that are queued or at work continue')
    .option('--json', 'print one JSON document')
    .action((options: Options) =>
      withLocalService(options, turnSwitchOnHere, (since) => ({
        text: `Changes are refused since ${since.toISOString()}.\n`,
        document: { stopped_since: since.toISOString() },
      })),
    )

const offCommand = (): Command =>
  new Command('off')
    .description('accept changes again')
    .option('--json', 'print one JSON document')
    .action((options: Options) =>
      withLocalService(options, turnSwitchOffHere, (wasOn) => ({
        text: wasOn ? 'Changes are accepted again.\n' : 'The kill switch was not on.\n',
        document: { was_on: wasOn },
      })),
    )
