import type { OwnChatroom } from '@sandbox-jobs/contract/resources/companies/chatroom.ts'
import type { TableCommand } from '@sandbox-jobs/contract/resources/tables/table-command.ts'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { commandsOf } from '../../data/authoring/tables.ts'
import { ownRooms } from '../../data/rooms/rooms.ts'
import links from '../../parts/button.module.css'
import { Panel } from '../../parts/panel.tsx'
import rows from '../../parts/row-list.module.css'
import { StateBadge } from '../../parts/state-badge.tsx'
import { TenantText } from '../../parts/tenant-text.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { TableScreen } from '../tables/table-screen.tsx'

/** The commands of a table. */
export function CommandsPage() {
  const t = useTexts().tables
  const { id } = useParams({ from: '/signed-in/tables/$id/commands' })
  const commands = useQuery(commandsOf(id))
  return (
    <TableScreen
      id={id}
      actions={() => (
        <Link to="/tables/$id/commands/new" params={{ id }} className={links.button}>
          {t.newCommand}
        </Link>
      )}
    >
      {() => (
        <Panel query={commands} rows={3} empty={(items) => items.length === 0 && t.noCommands}>
          {(items) => (
            <ul className={rows.list}>
              {items.map((command) => (
                <CommandRow key={command.id} command={command} />
              ))}
            </ul>
          )}
        </Panel>
      )}
    </TableScreen>
  )
}

function CommandRow({ command }: { command: TableCommand }) {
  const t = useTexts().tables
  const { id, table_id, name, description, inputs, mode, authority, state } = command
  const { data: room } = useQuery({ ...ownRooms, select: (all) => all.find((each) => isFor(command, each)) })
  const isActive = state === 'active'
  return (
    <li>
      <div className={rows.words}>
        {isActive ? (
          <Link to="/tables/$id/commands/$command" params={{ id: table_id, command: id }}>
            <TenantText text={name} />
          </Link>
        ) : (
          <TenantText text={name} />
        )}
        {description !== '' && <TenantText text={description} />}
        <span className={rows.detail}>
          <span>{t.modes[mode]}</span>
          <span>{t.authorities[authority]}</span>
          <code>{inputs.map((input) => input.name).join(', ')}</code>
        </span>
      </div>
      <StateBadge machine="table_command" state={state} />
      {isActive && room && (
        <Link
          to="/chatrooms/$cid/commands/$command"
          params={{ cid: room.id, command: id }}
          className={links.button}
        >
          <TenantText text={t.inRoom(room.name)} />
        </Link>
      )}
    </li>
  )
}

/** Whether the people of the room may use the command. */
const isFor = (
  { granted_scope, granted_id }: TableCommand,
  { id, department_id }: Pick<OwnChatroom, 'id' | 'department_id'>,
): boolean =>
  granted_scope === 'company' || granted_id === (granted_scope === 'chatroom' ? id : department_id)
