import {
  type UsageDimension,
  type UsageItem,
  usageDimensions,
} from '@sandbox-jobs/contract/resources/companies/usage-report.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { type Command, Option } from 'commander'
import { serviceCommand } from '../../args/service-command.ts'
import { CliError } from '../../failure.ts'
import { bytesText, durationText } from '../../output/sizes.ts'
import { table } from '../../output/table.ts'
import { showBytes } from '../../runs/download.ts'
import type { ConnectionOptions } from '../../session/connection.ts'
import { withSession } from '../../session/session.ts'

interface Options extends ConnectionOptions {
  by: UsageDimension[]
  from?: string
  to?: string
  csv?: boolean
}

export const usageReportCommand = (): Command =>
  serviceCommand('report')
    .description('show what runs and builds of the company used and cost, for its managers')
    .addOption(
      new Option('--by <what...>', 'what the lines are by').choices(usageDimensions).default(['day']),
    )
    .option('--from <day>', 'first day (UTC), like 2026-11-01 (default: the first of the month)')
    .option('--to <day>', 'last day (default: today)')
    .addOption(new Option('--csv', 'print CSV').conflicts('json'))
    .action(({ by, from, to, csv, ...options }: Options) =>
      withSession(options, async (session) => {
        const query = { by, ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }
        if (csv === true) {
          const { body } = await session.client.call(allRoutes.downloadUsageReport, { query })
          if (!body)
            throw new CliError('The service sent no report.', { hint: 'Try again.', code: 'cli_download' })
          return showBytes(body)
        }
        const report = await session.client.call(allRoutes.readUsageReport, { query })
        const headings = [
          ...by.map((each) => each.toUpperCase()),
          'FOR',
          'COUNT',
          'TIME',
          'IN',
          'OUT',
          'COST',
        ]
        const rows = report.items.map((item) => [...by.map((each) => shown[each](item)), ...usedBy(item)])
        const more = report.truncated ? 'There are more lines: ask for fewer days.\n' : ''
        session.report.result(
          `${report.from} to ${report.to}, cost in ${report.currency}\n${table(headings, rows)}${more}`,
          report,
        )
      }),
    )

/** Names where there are any: a report may be by things that are gone. */
const shown: Record<UsageDimension, (item: UsageItem) => string> = {
  day: ({ day }) => day ?? '',
  task: (item) => item.subject_name ?? item.subject_id ?? '',
  room: (item) => item.chatroom_name ?? item.chatroom_id ?? '',
  department: (item) => item.department_name ?? item.department_id ?? '',
  person: (item) => item.principal_name ?? item.principal_id ?? '',
}

const usedBy = (item: UsageItem): string[] => [
  item.kind === 'run' ? 'runs' : 'builds',
  String(item.count),
  durationText(item.seconds * 1000),
  bytesText(item.ingress_bytes),
  bytesText(item.egress_bytes),
  item.cost,
]
