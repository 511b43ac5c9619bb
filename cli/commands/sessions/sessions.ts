import type { Session as FileSession } from '@sandbox-jobs/contract/resources/sessions/session.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { type Command, Option } from 'commander'
import { sizeUpTo } from '../../args/byte-size.ts'
import { roomOption } from '../../args/room-option.ts'
import { serviceCommand } from '../../args/service-command.ts'
import { wholeNumber } from '../../args/whole-number.ts'
import { allPages } from '../../lookup/all-pages.ts'
import { findRoom } from '../../lookup/find-room.ts'
import { escapeControls } from '../../output/escape-controls.ts'
import { bytesText } from '../../output/sizes.ts'
import { table } from '../../output/table.ts'
import type { ConnectionOptions } from '../../session/connection.ts'
import { withSession } from '../../session/session.ts'
import { sessionCommand } from './session-command.ts'

interface RoomOptions extends ConnectionOptions {
  room?: string
}

interface CreateOptions extends RoomOptions {
  name?: string
  size?: number
  keepHours?: number
  forkOf?: string
}

interface ManagerOptions extends RoomOptions {
  asManager?: boolean
}

const managerOption = (effect: string) => new Option('--as-manager', `as a manager of the room: ${effect}`)

const mib = 1024 * 1024

export const sessionCreateCommand = (): Command =>
  serviceCommand('create')
    .description('create a session, and print its id')
    .addOption(roomOption())
    .option('--name <name>', 'name for people')
    .option(
      '--size <size>',
      'what its files may have, as 512m or 1g, or in MiB (default: what the operator has set)',
      sizeUpTo(2048, 1024 ** 2),
    )
    .option('--keep-hours <hours>', 'hours that it is kept after its last use (default: 720)', wholeNumber)
    .option('--fork-of <session>', 'start with the files of another session of yours in the room')
    .action((options: CreateOptions) =>
      withSession(options, async (session) => {
        const cid = await findRoom(session, options.room)
        const { name, size, keepHours, forkOf } = options
        const body = {
          ...(name !== undefined && { name }),
          ...(size !== undefined && { size_limit_bytes: size * mib }),
          ...(keepHours !== undefined && { keep_hours: keepHours }),
          ...(forkOf !== undefined && { fork_of: forkOf }),
        }
        const created = await session.client.call(allRoutes.createSession, { params: { cid }, body })
        session.report.result(`${created.id}\n`, created)
      }),
    )

export const sessionListCommand = (): Command =>
  serviceCommand('list')
    .description('list your sessions in a room')
    .addOption(roomOption())
    .addOption(managerOption('list those of everybody'))
    .action((options: ManagerOptions) =>
      withSession(options, async (session) => {
        const cid = await findRoom(session, options.room)
        const route = options.asManager ? allRoutes.listRoomSessions : allRoutes.listSessions
        const items = await allPages((query) => session.client.call(route, { params: { cid }, query }))
        const rows = items.map(({ id, name, created_by, byte_size, run_id, expires_at }) => [
          ...[id, escapeControls(name ?? '')],
          ...(options.asManager ? [created_by] : []),
          ...[bytesText(byte_size), run_id ?? '', expires_at],
        ])
        const heads = ['ID', 'NAME', ...(options.asManager ? ['OWNER'] : []), 'SIZE', 'HELD BY', 'EXPIRES']
        const none = options.asManager ? 'The room has no session.\n' : 'You have no session in this room.\n'
        const text = rows.length === 0 ? none : table(heads, rows)
        session.report.result(text, { items })
      }),
    )

export const sessionShowCommand = (): Command =>
  sessionCommand('show', 'show size, use and expiry of a session').action(
    (sid: string, options: RoomOptions) =>
      withSession(options, async (session) => {
        const params = { cid: await findRoom(session, options.room), sid }
        const shown = await session.client.call(allRoutes.readSession, { params })
        session.report.result(describe(shown), shown)
      }),
  )

export const sessionDeleteCommand = (): Command =>
  sessionCommand('delete', 'delete a session with its files')
    .addOption(managerOption('delete one of somebody else'))
    .action((sid: string, options: ManagerOptions) =>
      withSession(options, async (session) => {
        const params = { cid: await findRoom(session, options.room), sid }
        const route = options.asManager ? allRoutes.deleteRoomSession : allRoutes.deleteSession
        const deleted = await session.client.call(route, { params })
        session.report.result(`Deleted ${deleted.id}.\n`, deleted)
      }),
    )

function describe(session: FileSession): string {
  const lines = [
    `${session.id} ${escapeControls(session.name ?? '')}`.trimEnd(),
    `  ${session.file_count} files and folders, ${bytesText(session.byte_size)} of ${bytesText(session.size_limit_bytes)}`,
    session.run_id === null ? '  no run holds it' : `  held by ${session.run_id}`,
    `  used ${session.last_used_at}, expires ${session.expires_at}`,
  ]
  return `${lines.join('\n')}\n`
}
