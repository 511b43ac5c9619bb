import { writeSupportBundle } from '@sandbox-jobs/server/main/operator/support/support-bundle.ts'
import { Command } from 'commander'
import { createReporter } from '../../../output/reporter.ts'
import { explainBy, refusalHints } from '../../../session/local-service.ts'
import { onThisMachine } from '../../../session/on-this-machine.ts'

export const operatorSupportBundleCommand = (): Command =>
  new Command('support-bundle')
    .description('write a tar.gz for whoever helps, with versions, checks, settings and logs, and no secrets')
    .argument('[file]', 'file to make (default: sandbox-support-TIME.tar.gz in this folder)')
    .option('--json', 'print one JSON document')
    .action(async (file: string | undefined, options: { json?: boolean }) => {
      await onThisMachine(createReporter(options.json === true), () => writeSupportBundle(file), {
        render: ({ path, files, hiddenSecrets }) => ({
          text: `${path} has ${files.length} files. Look at them before you pass it on.\n`,
          document: { path, files, hidden_secrets: hiddenSecrets },
        }),
        explain: explainBy({ ...refusalHints, file: 'Name a new file in a folder that exists.' }),
      })
    })
