import type { MenuItem } from '@sandbox-jobs/contract/resources/tasks/menu.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Command } from 'commander'
import { roomOption } from '../../args/room-option.ts'
import { serviceCommand } from '../../args/service-command.ts'
import { allPages } from '../../lookup/all-pages.ts'
import { findMenuItem } from '../../lookup/find-menu-item.ts'
import { findRoom } from '../../lookup/find-room.ts'
import { escapeControls, escapeLines } from '../../output/escape-controls.ts'
import { table } from '../../output/table.ts'
import type { ConnectionOptions } from '../../session/connection.ts'
import { withSession } from '../../session/session.ts'

interface Options extends ConnectionOptions {
  room?: string
}

export const menuCommand = (): Command =>
  serviceCommand('menu')
    .description('list what can be run in a room, or show what the input of one task must look like')
    .argument('[task]', 'task of the menu, by name or id')
    .addOption(roomOption())
    .action((wanted: string | undefined, options: Options) =>
      withSession(options, async (session) => {
        const { client, report } = session
        const cid = await findRoom(session, options.room)
        if (wanted !== undefined) {
          const item = await findMenuItem(session, cid, wanted)
          return report.result(inputText(item), item)
        }
        const items = await allPages((query) => client.call(allRoutes.readMenu, { params: { cid }, query }))
        report.result(table(['TASK', 'VERSION', 'TIMEOUT', 'CONFIRM', 'DESCRIPTION'], items.map(rowOf)), {
          items,
        })
      }),
    )

const rowOf = (item: MenuItem): string[] => [
  item.task_name,
  `${item.version_number}${item.update_available ? ' (newer exists)' : ''}`,
  `${item.timeout_seconds} s`,
  item.requires_confirmation ? 'yes' : 'no',
  item.task_description,
]

function inputText(item: MenuItem): string {
  const parts = [
    `${escapeControls(item.task_name)}, version ${item.version_number}, at most ${item.timeout_seconds} s`,
    escapeLines(item.task_description),
    item.input_instructions && `Input: ${escapeLines(item.input_instructions)}`,
    item.input_example && `Example:\n${escapeLines(item.input_example)}`,
    item.input_schema && `Schema:\n${escapeLines(item.input_schema)}`,
    item.secret_slot_names.length > 0 && `Secrets: ${escapeControls(item.secret_slot_names.join(', '))}`,
  ]
  return `${parts.filter(Boolean).join('\n\n')}\n`
}
