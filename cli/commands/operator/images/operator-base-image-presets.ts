import { versionedRecipes } from '@sandbox-jobs/server/main/operator/images/operator-images.ts'
import { Command } from 'commander'
import { createReporter } from '../../../output/reporter.ts'
import { table } from '../../../output/table.ts'

export const operatorBaseImagePresetsCommand = (): Command =>
  new Command('presets')
    .description('list the tested lists of packages for base images')
    .option('--json', 'print one JSON document')
    .action((options: { json?: boolean }) => {
      const rows = versionedRecipes.map(({ preset, name, suite, packages }) => [
        preset,
        name,
        suite,
        packages.join(', '),
      ])
      createReporter(options.json === true).result(table(['PRESET', 'FROM', 'DEBIAN', 'PACKAGES'], rows), {
        items: versionedRecipes,
      })
    })
