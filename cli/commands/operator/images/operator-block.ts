import { blockImage, readBlocks } from '@sandbox-jobs/server/main/operator/images/operator-blocks.ts'
import { Command } from 'commander'
import { imageDigest } from '../../../args/image-digest.ts'
import { reasonText } from '../../../args/reason-text.ts'
import { CliError, exitCodes } from '../../../failure.ts'
import { table } from '../../../output/table.ts'
import { withLocalService } from '../../../session/local-service.ts'

interface Options {
  reason?: string
  list?: boolean
  json?: boolean
}

export const operatorBlockCommand = (): Command =>
  new Command('block')
    .description('block an image: no company can start runs on it')
    .argument('[digest]', 'digest of the layer, the promoted manifest or the composition', imageDigest)
    .option('--reason <text>', 'reason, for the audit log', reasonText)
    .option('--list', 'list blocked images')
    .option('--json', 'print one JSON document')
    .action((digest: string | undefined, { reason, list, ...options }: Options) =>
      list === true ? show(options) : block(digest, reason, options),
    )

const show = (options: { json?: boolean }) =>
  withLocalService(options, readBlocks, (blocks) => ({
    text: table(
      ['DIGEST', 'SINCE', 'REASON'],
      blocks.map((row) => [row.digest, row.blocked_at.toISOString(), row.reason]),
    ),
    document: { items: blocks },
  }))

const block = (digest: string | undefined, reason: string | undefined, options: { json?: boolean }) =>
  withLocalService(
    options,
    async () => {
      if (digest !== undefined && reason !== undefined) return blockImage(digest, reason)
      throw new CliError('Blocking needs a digest and --reason.', {
        hint: 'sandbox operator block --list shows the blocked images.',
        code: 'cli_block_incomplete',
        exitCode: exitCodes.usage,
      })
    },
    (versions) => ({
      text: `Blocked ${digest}; affected versions: ${versions.join(', ') || 'none'}.\n`,
      document: { digest, versions },
    }),
  )
