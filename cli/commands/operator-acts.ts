import { readOperatorActs } from '@sandbox-jobs/server/main/operator-acts.ts'
import { Command, Option } from 'commander'
import { wholeNumberUpTo } from '../args/whole-number.ts'
import { exitCodes } from '../failure.ts'
import { table } from '../output/table.ts'
import { withLocalService } from '../session/local-service.ts'

const shownMax = 1000

interface Options {
  last: number
  json?: boolean
}

export const operatorActsCommand = (): Command =>
  new Command('acts')
    .description('what operators did, newest first; exit code 1 when the record was changed')
    .addOption(
      new Option('--last <number>', `how many, 1 to ${shownMax}`)
        .argParser(wholeNumberUpTo(shownMax))
        .default(50),
    )
    .option('--json', 'one JSON document')
    .action(({ last, ...options }: Options) =>
      withLocalService(
        options,
        () => readOperatorActs(last),
        ({ items, broken_at }) => {
          if (broken_at !== null) process.exitCode = exitCodes.failed
          const rows = items.map(({ sequence, done_at, account, act, subject, details }) => [
            ...[String(sequence), done_at.toISOString(), account, act, subject],
            JSON.stringify(details),
          ])
          const forged = `Act ${broken_at} was changed, or some before it are missing.\n`
          return {
            text: `${table(['ACT', 'AT', 'ACCOUNT', 'WHAT', 'OF', 'DETAILS'], rows)}${broken_at === null ? '' : forged}`,
            document: { items, broken_at },
          }
        },
      ),
    )
