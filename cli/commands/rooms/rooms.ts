import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Command } from 'commander'
import { serviceCommand } from '../../args/service-command.ts'
import { allPages } from '../../lookup/all-pages.ts'
import { table } from '../../output/table.ts'
import type { ConnectionOptions } from '../../session/connection.ts'
import { withSession } from '../../session/session.ts'

export const roomsCommand = (): Command =>
  serviceCommand('rooms')
    .description('list the chatrooms that you are a member of or manage')
    .action((options: ConnectionOptions) =>
      withSession(options, async ({ client, report }) => {
        const rooms = await allPages((query) => client.call(allRoutes.listOwnChatrooms, { query }))
        const rows = rooms.map((room) => [
          room.name,
          room.id,
          room.department_name,
          room.manages ? 'manager' : 'member',
        ])
        report.result(table(['NAME', 'ID', 'DEPARTMENT', 'ROLE'], rows), { items: rooms })
      }),
    )
