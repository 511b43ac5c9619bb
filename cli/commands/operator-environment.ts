import { descriptionMaxLength, nameMaxLength } from '@sandbox-jobs/contract/limits.ts'
import {
  archiveEnvironment,
  type Published,
  publishEnvironment,
  readCuratedEnvironments,
} from '@sandbox-jobs/server/main/operator-curated.ts'
import { Command, InvalidArgumentError } from 'commander'
import { CliError } from '../failure.ts'
import { table } from '../output/table.ts'
import { withLocalService } from '../session/local-service.ts'
import { operatorEnvironmentBuildCommand } from './operator-environment-build.ts'

interface Options {
  json?: boolean
}

export const operatorEnvironmentCommand = (): Command =>
  new Command('environment')
    .description('curated environments, which every company can use and none can change')
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
  source_archive_gone: 'The archive that the version was made of is gone.',
  builds_held_back: 'Builds are held back on this deployment.',
} as const
const refusalHints: Partial<Record<keyof typeof refusals, string>> = {
  builds_held_back: 'sandbox operator build-fence off takes them again.',
}

const publishCommand = (): Command =>
  new Command('publish')
    .description('make a version of a curated environment of what a company has built')
    .argument('<version>', 'id of a version that is ready (ver_…), of whichever company')
    .requiredOption(
      '--name <name>',
      'curated environment; made when there is none of that name',
      boundedText(nameMaxLength),
    )
    .option('--description <text>', 'what it is for; of a new one', boundedText(descriptionMaxLength), '')
    .option('--no-wait', 'queue its build and return')
    .option('--json', 'one JSON document')
    .addHelpText(
      'after',
      '\nTo be run on the machine of the service. Programs in it run with the rights of whoever runs them: publish only' +
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
    .option('--json', 'one JSON document')
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
    .description('offer a curated environment no more; tasks that stand on its versions go on')
    .argument('<name>', 'as it was published')
    .option('--json', 'one JSON document')
    .action((name: string, options: Options) =>
      withLocalService(
        options,
        () => archiveEnvironment(name),
        (archived) => {
          if (archived) return { text: `${name} is archived.\n`, document: { name } }
          throw new CliError('There is no active curated environment of that name.', {
            hint: 'sandbox operator environment list shows them.',
            code: 'cli_environment_unknown',
          })
        },
      ),
    )
