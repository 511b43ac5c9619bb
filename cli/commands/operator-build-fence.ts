import { holdBuilds, takeBuilds } from '@sandbox-jobs/server/main/operator-build-fence.ts'
import { Command } from 'commander'
import { wholeNumberUpTo } from '../args/whole-number.ts'
import { withLocalService } from '../session/local-service.ts'

interface Options {
  json?: boolean
}

const minutesMax = 24 * 60

export const operatorBuildFenceCommand = (): Command =>
  new Command('build-fence')
    .description('hold back new builds while builder or base images change')
    .addCommand(onCommand())
    .addCommand(offCommand())

const onCommand = (): Command =>
  new Command('on')
    .description('take no new builds; those that are queued go on')
    .requiredOption('--minutes <number>', `for how long, 1 to ${minutesMax}`, wholeNumberUpTo(minutesMax))
    .option('--json', 'one JSON document')
    .action(({ minutes, ...options }: Options & { minutes: number }) =>
      withLocalService(
        options,
        () => holdBuilds(minutes),
        (endsAt) => ({
          text: `No build is taken until ${endsAt.toISOString()}.\n`,
          document: { ends_at: endsAt.toISOString() },
        }),
      ),
    )

const offCommand = (): Command =>
  new Command('off')
    .description('take builds again')
    .option('--json', 'one JSON document')
    .action((options: Options) =>
      withLocalService(options, takeBuilds, (wasHeld) => ({
        text: wasHeld ? 'Builds are taken again.\n' : 'Builds were not held back.\n',
        document: { was_held: wasHeld },
      })),
    )
