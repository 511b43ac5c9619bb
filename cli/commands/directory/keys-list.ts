import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Command } from 'commander'
import { serviceCommand } from '../../args/service-command.ts'
import { allPages } from '../../lookup/all-pages.ts'
import { table } from '../../output/table.ts'
import type { ConnectionOptions } from '../../session/connection.ts'
import { withSession } from '../../session/session.ts'

interface Options extends ConnectionOptions {
  all?: boolean
}

export const keysListCommand = (): Command =>
  serviceCommand('list')
    .description('list the API keys of the company; never a key itself')
    .option('--all', 'also revoked keys')
    .action((options: Options) =>
      withSession(options, async ({ client, report }) => {
        const lifecycle = options.all === true ? 'all' : 'active'
        const items = await allPages((query) =>
          client.call(allRoutes.listApiKeys, { query: { ...query, lifecycle } }),
        )
        const rows = items.map((key) => [
          key.name,
          key.id,
          key.scope,
          key.expires_at ?? 'never',
          key.last_used_at ?? 'never',
          key.revoked_at === null ? '' : 'revoked',
        ])
        report.result(table(['NAME', 'ID', 'SCOPE', 'EXPIRES', 'LAST USED', ''], rows), { items })
      }),
    )
