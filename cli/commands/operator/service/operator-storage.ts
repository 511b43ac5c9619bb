import { recountStorage, showStorage } from '@sandbox-jobs/server/main/operator/operator-company.ts'
import { Command, Option } from 'commander'
import { wholeNumberUpTo } from '../../../args/whole-number.ts'
import { bytesText } from '../../../output/sizes.ts'
import { table } from '../../../output/table.ts'
import { withLocalService } from '../../../session/local-service.ts'

const shownMax = 1000

interface ShowOptions {
  top: number
  json?: boolean
}

export const operatorStorageCommand = (): Command =>
  new Command('storage')
    .description('show or recount the disk use of companies')
    .addCommand(showCommand())
    .addCommand(recountCommand())

const showCommand = (): Command =>
  new Command('show')
    .description('show the disk and the companies that use the most')
    .addOption(
      new Option('--top <number>', `how many companies, 1 to ${shownMax}`)
        .argParser(wholeNumberUpTo(shownMax))
        .default(20),
    )
    .option('--json', 'print one JSON document')
    .action(({ top, ...options }: ShowOptions) =>
      withLocalService(
        options,
        () => showStorage(top),
        ({ objects, disk, companies }) => {
          const rows = companies.map(({ name, company_id, kept_bytes, limit_bytes }) => [
            ...[name, company_id, bytesText(kept_bytes)],
            limit_bytes === null ? 'any' : bytesText(limit_bytes),
          ])
          const free = `Objects: ${objects}. On the disk of the data folder ${bytesText(disk.freeBytes)} of ${bytesText(disk.totalBytes)} are free.\n`
          return {
            text: `${free}${table(['COMPANY', 'ID', 'KEEPS', 'OF'], rows)}`,
            document: {
              objects,
              free_bytes: disk.freeBytes,
              total_bytes: disk.totalBytes,
              companies,
            },
          }
        },
      ),
    )

const recountCommand = (): Command =>
  new Command('recount')
    .description('compare the counted bytes with the stored rows, and correct the count')
    .option('--json', 'print one JSON document')
    .action((options: { json?: boolean }) =>
      withLocalService(options, recountStorage, (drift) => {
        const rows = drift.map(({ company_id, kind, counted_bytes, found_bytes }) => [
          ...[company_id, kind, String(counted_bytes), String(found_bytes)],
        ])
        const shown = table(['COMPANY', 'KIND', 'COUNTED', 'FOUND'], rows)
        return {
          text: rows.length > 0 ? `Corrected:\n${shown}` : 'All counts were correct.\n',
          document: { corrected: drift },
        }
      }),
    )
