import { descriptionMaxLength, nameMaxLength } from '@sandbox-jobs/contract/limits.ts'
import {
  archiveEnvironment,
  type Published,
  publishEnvironment,
  readCuratedEnvironments,
} from '@sandbox-jobs/server/main/operator/images/operator-curated.ts'
import { Command, InvalidArgumentError } from 'commander'
import { CliError } from '../../../failure.ts'
import { table } from '../../../output/table.ts'
import { withLocalService } from '../../../session/local-service.ts'
import { operatorEnvironmentBuildCommand } from './operator-environment-build.ts'

interface Options {
  json?: boolean
}

export const operatorEnvironmentCommand = (): Command =>
  new Command('environment')
    .description('manage curated environments, which every company can use and none can change')
    .addCommand(publishCommand())
    .addCommand(operatorEnvironmentBuildCommand())
    .addCommand(listCommand())
    .addCommand(archiveCommand())

const boundedText = (max: number) => (text: string) => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
  if (text.trim() !== '' && text.length <= max && !/[\u0000-\u001f\u007f]/.test(text)) return text
  throw new InvalidArgumentError(`It is one line of 1 to ${max} characters.`)
}

const refusals = {
  source_unknown: 'No company has such a version.',
  source_not_ready: 'The version is not ready, or it is blocked.',
  source_archive_gone: 'The archive that the version was built from no longer exists.',
  builds_held_back: 'New builds are refused on this deployment.',
} as const
const refusalHints: Partial<Record<keyof typeof refusals, string>> = {
  builds_held_back: 'sandbox operator build-fence off accepts them again.',
}

const publishCommand = (): Command =>
  new Command('publish')
    .description('publish a version that a company has built as a version of a curated environment')
    .argument('<version>', 'id of a ready version (ver_…) of any company')
    .requiredOption(
      '--name <name>',
      'curated environment; created if it does not exist',
      boundedText(nameMaxLength),
    )
    .option(
      '--description <text>',
      'description of a new curated environment',
      boundedText(descriptionMaxLength),
      '',
    )
    .option('--no-wait', 'queue its build and return')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      '\nRun it on the machine of the service. Its programs run with the rights of the person who runs them: publish only' +
        '\nwhat you would run yourself.' +
        '\n\nExample:\n  sandbox operator environment publish ver_0197… --name python --description "Python 3.11 with pandas"',
    )
    .action((version: string, options: Options & { name: string; description: string; wait: boolean }) =>
      withLocalService(
        options,
        () =>
          publishEnvironment(
            { sourceVersionId: version, name: options.name, description: options.description },
            options,
          ),
        (published) => {
          if (typeof published !== 'string') return shown(options.name, published)
          throw new CliError(refusals[published], {
            hint:
              refusalHints[published] ??
              'Build it in a company first: sandbox env push prints the id of the version.',
            code: `cli_publish_${published}`,
          })
        },
      ),
    )

function shown(name: string, { environmentId, versionId, versionNumber, end }: Published) {
  if (end && end.state !== 'completed') {
    throw new CliError(
      `The build of the curated version ended as ${end.state}: ${end.error_code} ${end.error_detail}`,
      {
        hint: `sandbox operator environment build ${versionId} shows its log. No company sees the version.`,
        code: end.error_code || end.state,
      },
    )
  }
  const how = end ? 'is published' : 'is queued to be built'
  return {
    text: `Version ${versionNumber} of ${name} ${how}: ${versionId}\n`,
    document: {
      environment_id: environmentId,
      version_id: versionId,
      version_number: versionNumber,
      published: end !== undefined,
    },
  }
}

const listCommand = (): Command =>
  new Command('list')
    .description('list curated environments, newest first')
    .option('--json', 'print one JSON document')
    .action((options: Options) =>
      withLocalService(options, readCuratedEnvironments, (items) => ({
        text: table(
          ['ID', 'NAME', 'STATE', 'VERSION', 'DESCRIPTION'],
          items.map((item) => [
            item.id,
            item.name,
            item.state,
            String(item.current_version_number ?? 'none'),
            item.description,
          ]),
        ),
        document: { items },
      })),
    )

const archiveCommand = (): Command =>
  new Command('archive')
    .description('archive a curated environment; tasks that use its versions keep running')
    .argument('<name>', 'name of the curated environment')
    .option('--json', 'print one JSON document')
    .action((name: string, options: Options) =>
      withLocalService(
        options,
        () => archiveEnvironment(name),
        (archived) => {
          if (archived) return { text: `Archived ${name}.\n`, document: { name } }
          throw new CliError('No active curated environment has that name.', {
            hint: 'sandbox operator environment list shows them.',
            code: 'cli_environment_unknown',
          })
        },
      ),
    )
