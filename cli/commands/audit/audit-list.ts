import type { AuditEntry } from '@sandbox-jobs/contract/resources/companies/audit-entry.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { type Command, Option } from 'commander'
import { serviceCommand } from '../../args/service-command.ts'
import { wholeNumberUpTo } from '../../args/whole-number.ts'
import { table } from '../../output/table.ts'
import type { ConnectionOptions } from '../../session/connection.ts'
import { withSession } from '../../session/session.ts'

interface Options extends ConnectionOptions {
  last: number
  from?: string
  to?: string
  actor?: string
  object?: string
}

export const auditListCommand = (): Command =>
  serviceCommand('list')
    .description('list entries of the audit log of the company, newest first')
    .addOption(
      new Option('--last <number>', 'number of entries, 1 to 100')
        .argParser(wholeNumberUpTo(100))
        .default(20),
    )
    .option('--from <time>', 'entries from this time on, like 2026-11-01T00:00:00Z')
    .option('--to <time>', 'entries before this time')
    .option('--actor <id>', 'entries of a user, client, run or account')
    .option('--object <id>', 'entries of an object')
    .action(({ last, from, to, actor, object, ...options }: Options) =>
      withSession(options, async ({ client, report }) => {
        const query = {
          page_size: last,
          ...(from === undefined ? {} : { from }),
          ...(to === undefined ? {} : { to }),
          ...(actor === undefined ? {} : { actor_id: actor }),
          ...(object === undefined ? {} : { object_id: object }),
        }
        const { items } = await client.call(allRoutes.listAuditEntries, { query })
        report.result(table(['ENTRY', 'AT', 'ACTION', 'BY', 'CHANGE', 'OBJECT'], items.map(rowOf)), { items })
      }),
    )

const rowOf = (entry: AuditEntry): string[] => [
  String(entry.sequence),
  entry.at,
  entry.action,
  entry.actor_type === 'service' ? 'the service' : entry.actor_id,
  entry.to_state === null ? entry.change : `${entry.change} to ${entry.to_state}`,
  `${entry.object_type} ${entry.object_id}`,
]
