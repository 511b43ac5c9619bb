import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Command } from 'commander'
import { serviceCommand } from '../../args/service-command.ts'
import { allPages } from '../../lookup/all-pages.ts'
import { table } from '../../output/table.ts'
import type { ConnectionOptions } from '../../session/connection.ts'
import { withSession } from '../../session/session.ts'

export const taskListCommand = (): Command =>
  serviceCommand('list')
    .description('list the tasks that you can see')
    .action((options: ConnectionOptions) =>
      withSession(options, async ({ client, report }) => {
        const items = await allPages((query) => client.call(allRoutes.listTasks, { query }))
        const rows = items.map((task) => [
          task.name,
          task.id,
          task.owner_scope,
          task.security_state === 'blocked' ? 'blocked' : task.state,
          task.current_published_version_id ?? 'not published',
        ])
        report.result(table(['NAME', 'ID', 'OWNER', 'STATE', 'VERSION'], rows), { items })
      }),
    )
