import {
  approveRunnerRelease,
  readRunnerReleases,
} from '@sandbox-jobs/server/main/operator/images/operator-runner-releases.ts'
import { Command } from 'commander'
import { CliError } from '../../../failure.ts'
import { table } from '../../../output/table.ts'
import { withLocalService } from '../../../session/local-service.ts'

interface Options {
  json?: boolean
}

export const operatorRunnerReleaseCommand = (): Command =>
  new Command('runner-release')
    .description('manage runner releases: which ones may deliver task bundles')
    .addCommand(listCommand())
    .addCommand(approveCommand())

const listCommand = (): Command =>
  new Command('list')
    .description('list all runner releases ever seen, newest first')
    .option('--json', 'print one JSON document')
    .action((options: Options) =>
      withLocalService(options, readRunnerReleases, (releases) => ({
        text: table(
          ['RELEASE', 'ABI', 'FIRST SEEN', 'APPROVED', 'RUNS NOW'],
          releases.map((row) => [
            row.release,
            String(row.abi_revision),
            row.first_seen_at.toISOString(),
            row.approved_at ? `${row.approved_at.toISOString()} (${row.approved_by})` : 'no',
            row.runs ? 'yes' : '',
          ]),
        ),
        document: { items: releases },
      })),
    )

const approveCommand = (): Command =>
  new Command('approve')
    .description('allow versions that were built on a runner release to use task bundles')
    .argument('<release>', 'runner release, as listed')
    .option('--json', 'print one JSON document')
    .action((release: string, options: Options) =>
      withLocalService(
        options,
        () => approveRunnerRelease(release),
        (known) => {
          if (known) return { text: `Approved ${release}.\n`, document: { release } }
          throw new CliError('No runner release has that name.', {
            hint: 'sandbox operator runner-release list shows the releases.',
            code: 'cli_release_unknown',
          })
        },
      ),
    )
