import type { Command } from 'commander'
import { serviceCommand } from '../../args/service-command.ts'
import { listEnvironments } from '../../lookup/find-environment.ts'
import { table } from '../../output/table.ts'
import type { ConnectionOptions } from '../../session/connection.ts'
import { withSession } from '../../session/session.ts'

export const envListCommand = (): Command =>
  serviceCommand('list')
    .description('list environments, including curated ones of the operator')
    .action((options: ConnectionOptions) =>
      withSession(options, async (session) => {
        const items = await listEnvironments(session)
        const rows = items.map((item) => [
          item.name,
          item.id,
          item.owner_kind === 'system_curated' ? 'operator' : item.owner_scope,
          item.state,
          item.current_version_id ?? 'no version is ready',
        ])
        session.report.result(table(['NAME', 'ID', 'OWNER', 'STATE', 'CURRENT VERSION'], rows), { items })
      }),
    )
