import type { AuditEntry, AuditEntryList } from '@sandbox-jobs/contract/resources/companies/audit-entry.ts'
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
  operation?: string
  kind?: string
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
    .option('--operation <name>', 'entries of an operation, like createTask')
    .option('--kind <name>', 'entries of a kind of object, like task')
    .action(({ last, from, to, actor, object, operation, kind, ...options }: Options) =>
      withSession(options, async ({ client, report }) => {
        const query = {
          page_size: last,
          ...(from === undefined ? {} : { from }),
          ...(to === undefined ? {} : { to }),
          ...(actor === undefined ? {} : { actor_id: actor }),
          ...(object === undefined ? {} : { object_id: object }),
          ...(operation === undefined ? {} : { action: operation }),
          ...(kind === undefined ? {} : { object_type: kind }),
        }
        const items = await newestOf(last, (token) =>
          client.call(allRoutes.listAuditEntries, {
            query: { ...query, ...(token && { page_token: token }) },
          }),
        )
        report.result(table(['ENTRY', 'AT', 'ACTION', 'BY', 'CHANGE', 'OBJECT'], items.map(rowOf)), { items })
      }),
    )

/** A page may have fewer entries than it could, and others follow. */
async function newestOf(
  count: number,
  read: (token: string | undefined) => Promise<AuditEntryList>,
): Promise<AuditEntry[]> {
  const items: AuditEntry[] = []
  for (let token: string | null | undefined; token !== null && items.length < count; ) {
    const page = await read(token)
    items.push(...page.items)
    token = page.next_page_token
  }
  return items.slice(0, count)
}

const rowOf = (entry: AuditEntry): string[] => [
  String(entry.sequence),
  entry.at,
  entry.action,
  entry.actor_type === 'service' ? 'the service' : entry.actor_id,
  entry.to_state === null ? entry.change : `${entry.change} to ${entry.to_state}`,
  `${entry.object_type} ${entry.object_id}`,
]
