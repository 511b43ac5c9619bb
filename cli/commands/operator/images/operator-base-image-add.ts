import {
  type BaseImageRecipe,
  basePreset,
  debianSuites,
  makeBaseImage,
  type PackageProgress,
  presetNames,
} from '@sandbox-jobs/server/main/operator/images/operator-images.ts'
import { Command, Option } from 'commander'
import { bytesText } from '../../../output/sizes.ts'
import { withOperator } from '../../../session/operator.ts'

interface Options {
  packages?: string[]
  preset?: string
  suite: BaseImageRecipe['suite']
  json?: boolean
}

export const operatorBaseImageAddCommand = (): Command =>
  new Command('add')
    .description('create a base image for Dockerfiles from Debian packages')
    .argument('[name]', "name for FROM, such as curated/lua:5.4; default: the preset's")
    .option('--packages <names>', 'Debian packages, separated by commas', (text) =>
      text.split(',').map((name) => name.trim()),
    )
    .addOption(
      new Option('--preset <name>', 'a tested list of packages; a language without a version is the newest')
        .choices(presetNames)
        .conflicts(['packages', 'suite']),
    )
    .addOption(
      new Option('--suite <name>', 'Debian release: bookworm is Debian 12, trixie is Debian 13')
        .choices(debianSuites)
        .default('bookworm'),
    )
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      '\nNeeds root, on the machine of the service.' +
        '\n\nExample:\n  sandbox operator base-image add --preset python' +
        '\n  sandbox operator base-image add curated/lua:5.4 --packages lua5.4 --suite trixie' +
        '\n  sandbox operator base-image add --preset java:21',
    )
    .action((wanted: string | undefined, options: Options, command: Command) => {
      const recipe = recipeOf(wanted, options)
      if (!recipe) return command.error('error: a base image needs a name and --packages, or --preset')
      const { name } = recipe
      return withOperator(
        options,
        `making ${name}`,
        (say) => makeBaseImage(recipe, (progress) => say(progressText(progress))),
        (made) => ({
          text: made ? `Created ${name}.\n` : `${name} already exists.\n`,
          document: { name, made },
        }),
      )
    })

const progressText = (progress: PackageProgress): string =>
  `${bytesText(progress.downloadedBytes)} of ${bytesText(progress.totalBytes)} downloaded, ` +
  `${progress.installedPackages} of ${progress.totalPackages} packages installed`

function recipeOf(
  name: string | undefined,
  { packages, preset, suite }: Options,
): BaseImageRecipe | undefined {
  if (preset !== undefined) {
    const found = basePreset(preset)
    return { ...found, name: name ?? found.name }
  }
  if (name !== undefined && packages !== undefined) return { name, packages, suite }
  return undefined
}
