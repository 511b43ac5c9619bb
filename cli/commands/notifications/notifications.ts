import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { type Command, Option } from 'commander'
import { serviceCommand } from '../../args/service-command.ts'
import { allPages } from '../../lookup/all-pages.ts'
import { table } from '../../output/table.ts'
import type { ConnectionOptions } from '../../session/connection.ts'
import { type Session, withSession } from '../../session/session.ts'

interface Options extends ConnectionOptions {
  all?: boolean
  read?: string
}

export const notificationsCommand = (): Command =>
  serviceCommand('notifications')
    .description('list your unread notifications, and mark them as read')
    .option('--all', 'also list those that are read')
    .addOption(new Option('--read <notification>', 'mark one as read by its id, or all').conflicts(['all']))
    .action((options: Options) =>
      withSession(options, async (session) => {
        if (options.read === undefined) await list(session, options.all === true)
        else await markRead(session, options.read)
      }),
    )

const readAll = ({ client }: Session, filter: { unread?: true }) =>
  allPages((query) => client.call(allRoutes.listNotifications, { query: { ...query, ...filter } }))

async function list(session: Session, isAll: boolean): Promise<void> {
  const items = await readAll(session, isAll ? {} : { unread: true })
  const rows = items.map(({ id, event, title, created_at, read_at }) => [
    created_at,
    event,
    title,
    read_at === null ? 'unread' : 'read',
    id,
  ])
  const text =
    rows.length === 0
      ? `You have no ${isAll ? '' : 'unread '}notifications.\n`
      : table(['TIME', 'EVENT', 'WHAT', 'STATE', 'ID'], rows)
  session.report.result(text, { items })
}

async function markRead(session: Session, wanted: string): Promise<void> {
  const ids = wanted === 'all' ? (await readAll(session, { unread: true })).map(({ id }) => id) : [wanted]
  for (const nid of ids) await session.client.call(allRoutes.readNotification, { params: { nid } })
  session.report.result(`${ids.length} marked as read.\n`, { read: ids })
}
