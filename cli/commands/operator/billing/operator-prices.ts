import { readFile } from 'node:fs/promises'
import { text as readAll } from 'node:stream/consumers'
import type { ShownPrices } from '@sandbox-jobs/contract/operator/shown-prices.ts'
import {
  applyPricesHere,
  type PriceChanges,
  showPrices,
} from '@sandbox-jobs/server/main/operator/operator-prices.ts'
import { Command } from 'commander'
import { CliError, exitCodes } from '../../../failure.ts'
import { table } from '../../../output/table.ts'
import { withLocalService } from '../../../session/local-service.ts'

interface ApplyOptions {
  dryRun?: boolean
  json?: boolean
}

export const operatorPricesCommand = (): Command =>
  new Command('prices')
    .description('show or change what runs and builds cost')
    .addCommand(applyCommand())
    .addCommand(showCommand())

const applyCommand = (): Command =>
  new Command('apply')
    .description('make the prices of a file hold for what is queued from now on')
    .argument('<file>', 'the price file in YAML, - for standard input')
    .option('--dry-run', 'show what would change, and change nothing')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nexamples/prices.yaml shows the format. What was queued before keeps its rates.')
    .action(async (file: string, { dryRun = false, ...options }: ApplyOptions) => {
      const text = await readText(file)
      const work = async () => {
        const outcome = await applyPricesHere(text, { dryRun })
        if (outcome.ok || outcome.cause !== 'file') return outcome
        throw new CliError(outcome.problems.map((line) => `${file}: ${line}`).join('\n'), {
          hint: 'Nothing was changed.',
          code: 'cli_prices_invalid',
          exitCode: exitCodes.usage,
        })
      }
      return withLocalService(options, work, (applied) => ({
        text: changesText(applied, dryRun),
        document: { dry_run: dryRun, ...applied },
      }))
    })

async function readText(file: string): Promise<string> {
  try {
    return file === '-' ? await readAll(process.stdin) : await readFile(file, 'utf8')
  } catch (error) {
    throw new CliError(`${file} cannot be read: ${error instanceof Error ? error.message : error}`, {
      hint: 'Name a readable file, or - for standard input.',
      code: 'cli_file_unreadable',
      exitCode: exitCodes.usage,
    })
  }
}

function changesText({ changes }: PriceChanges, dryRun: boolean): string {
  if (changes.length === 0) return 'Nothing to change.\n'
  const rows = changes.map(({ name, before, after }) => [name, before ?? '-', after ?? '-'])
  const count = `${changes.length} ${changes.length === 1 ? 'change' : 'changes'}`
  return `${table(['PRICE', 'BEFORE', 'AFTER'], rows)}\n${count} ${dryRun ? 'would be made.' : 'made.'}\n`
}

const showCommand = (): Command =>
  new Command('show')
    .description('show the prices that hold')
    .option('--json', 'print one JSON document')
    .action((options: { json?: boolean }) =>
      withLocalService(options, showPrices, (list) => ({
        text: list ? pricesText(list) : 'No prices were applied: runs and builds cost nothing.\n',
        document: list ?? null,
      })),
    )

function pricesText({ rates, ...bounds }: ShownPrices): string {
  const general = table(
    ['SETTING', 'VALUE'],
    Object.entries(bounds).map(([name, value]) => [name, String(value)]),
  )
  const rows = rates.map((rate) => [
    ...[rate.region, rate.kind, rate.profile, rate.per_second, rate.ingress_per_gib, rate.egress_per_gib],
  ])
  return `${general}\n${table(['REGION', 'FOR', 'PROFILE', 'PER SECOND', 'IN PER GIB', 'OUT PER GIB'], rows)}`
}
