import { buildFenceMaxMinutes } from '@sandbox-jobs/contract/limits.ts'
import {
  resumeBuildsHere,
  stopBuildsHere,
} from '@sandbox-jobs/server/main/operator/images/operator-blocks.ts'
import { Command } from 'commander'
import { wholeNumberUpTo } from '../../../args/whole-number.ts'
import { withLocalService } from '../../../session/local-service.ts'

interface Options {
  json?: boolean
}

export const operatorBuildFenceCommand = (): Command =>
  new Command('build-fence')
    .description('refuse new builds while the builder or base images change')
    .addCommand(onCommand())
    .addCommand(offCommand())

const onCommand = (): Command =>
  new Command('on')
    .description('refuse new builds; queued builds continue')
    .requiredOption(
      '--minutes <number>',
      `for how long, 1 to ${buildFenceMaxMinutes}`,
      wholeNumberUpTo(buildFenceMaxMinutes),
    )
    .option('--json', 'print one JSON document')
    .action(({ minutes, ...options }: Options & { minutes: number }) =>
      withLocalService(
        options,
        () => stopBuildsHere(minutes),
        (endsAt) => ({
          text: `New builds are refused until ${endsAt.toISOString()}.\n`,
          document: { ends_at: endsAt.toISOString() },
        }),
      ),
    )

const offCommand = (): Command =>
  new Command('off')
    .description('accept builds again')
    .option('--json', 'print one JSON document')
    .action((options: Options) =>
      withLocalService(options, resumeBuildsHere, (wasHeld) => ({
        text: wasHeld ? 'New builds are accepted again.\n' : 'New builds were not refused.\n',
        document: { was_held: wasHeld },
      })),
    )
