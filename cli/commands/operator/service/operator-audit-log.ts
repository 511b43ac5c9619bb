import { readOperatorLog } from '@sandbox-jobs/server/main/operator/operator-audit.ts'
import { Command, Option } from 'commander'
import { wholeNumberUpTo } from '../../../args/whole-number.ts'
import { exitCodes } from '../../../failure.ts'
import { table } from '../../../output/table.ts'
import { withLocalService } from '../../../session/local-service.ts'

const shownMax = 1000

interface Options {
  last: number
  json?: boolean
}

export const operatorAuditLogCommand = (): Command =>
  new Command('acts')
    .description('show the operator audit log, newest first; exits with 1 if the log was tampered with')
    .addOption(
      new Option('--last <number>', `number of entries, 1 to ${shownMax}`)
        .argParser(wholeNumberUpTo(shownMax))
        .default(50),
    )
    .option('--json', 'print one JSON document')
    .action(({ last, ...options }: Options) =>
      withLocalService(
        options,
        () => readOperatorLog(last),
        ({ items, broken_at }) => {
          if (broken_at !== null) process.exitCode = exitCodes.failed
          const rows = items.map(({ sequence, done_at, account, act, subject, details }) => [
            ...[String(sequence), done_at.toISOString(), account, act, subject],
            JSON.stringify(details),
          ])
          const forged = `Entry ${broken_at} was changed, or entries before it are missing.\n`
          return {
            text: `${table(['ENTRY', 'AT', 'ACCOUNT', 'ACTION', 'OBJECT', 'DETAILS'], rows)}${broken_at === null ? '' : forged}`,
            document: { items, broken_at },
          }
        },
      ),
    )
