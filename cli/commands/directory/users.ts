import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { Command, Option } from 'commander'
import { serviceCommand } from '../../args/service-command.ts'
import { allPages } from '../../lookup/all-pages.ts'
import { roleName } from '../../output/role-name.ts'
import { table } from '../../output/table.ts'
import type { ConnectionOptions } from '../../session/connection.ts'
import { withSession } from '../../session/session.ts'
import { usersAddCommand } from './users-add.ts'
import { usersDisableCommand, usersEnableCommand, usersResetCommand } from './users-change.ts'
import { usersInviteCommand } from './users-invite.ts'

interface Options extends ConnectionOptions {
  all?: boolean
}

/** Without a subcommand it lists. */
export const usersCommand = (): Command =>
  new Command('users')
    .description('users of the company, for its administrators')
    .addCommand(listCommand(), { isDefault: true })
    .addCommand(usersAddCommand())
    .addCommand(usersInviteCommand())
    .addCommand(usersDisableCommand())
    .addCommand(usersEnableCommand())
    .addCommand(usersResetCommand())

const listCommand = (): Command =>
  serviceCommand('list')
    .description('list the users')
    .addOption(new Option('--all', 'also disabled users'))
    .action((options: Options) =>
      withSession(options, async ({ client, report }) => {
        const lifecycle = options.all === true ? 'all' : 'active'
        const items = await allPages((query) =>
          client.call(allRoutes.listUsers, { query: { ...query, lifecycle } }),
        )
        const rows = items.map((user) => [
          user.login,
          user.display_name,
          roleName(user.role),
          user.id,
          user.disabled_at === null ? '' : `disabled ${user.disabled_at}`,
        ])
        report.result(table(['LOGIN', 'NAME', 'ROLE', 'ID', ''], rows), { items })
      }),
    )
