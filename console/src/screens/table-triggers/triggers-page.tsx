import type { TableTrigger } from '@sandbox-jobs/contract/resources/tables/table-trigger.ts'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { triggersOf } from '../../data/authoring/tables.ts'
import { useRoom } from '../../data/rooms/rooms.ts'
import links from '../../parts/button.module.css'
import { Moment } from '../../parts/moment.tsx'
import { Panel } from '../../parts/panel.tsx'
import rows from '../../parts/row-list.module.css'
import { StateBadge } from '../../parts/state-badge.tsx'
import { TenantText } from '../../parts/tenant-text.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { TableScreen } from '../tables/table-screen.tsx'

/** The triggers of a table, each with why it started no run the last time. */
export function TriggersPage() {
  const t = useTexts().tables
  const { id } = useParams({ from: '/signed-in/tables/$id/triggers' })
  const triggers = useQuery(triggersOf(id))
  return (
    <TableScreen
      id={id}
      actions={() => (
        <Link to="/tables/$id/triggers/new" params={{ id }} className={links.button}>
          {t.newTrigger}
        </Link>
      )}
    >
      {() => (
        <Panel query={triggers} rows={3} empty={(items) => items.length === 0 && t.noTriggers}>
          {(items) => (
            <ul className={rows.list}>
              {items.map((trigger) => (
                <TriggerRow key={trigger.id} trigger={trigger} />
              ))}
            </ul>
          )}
        </Panel>
      )}
    </TableScreen>
  )
}

function TriggerRow({ trigger }: { trigger: TableTrigger }) {
  const t = useTexts().tables
  const room = useRoom(trigger.chatroom_id)
  const {
    id: tid,
    table_id: id,
    name,
    description,
    events,
    state,
    last_error_code,
    last_refused_at,
  } = trigger
  return (
    <li>
      <div className={rows.words}>
        <Link to="/tables/$id/triggers/$tid" params={{ id, tid }}>
          <TenantText text={name} />
        </Link>
        {description !== '' && <TenantText text={description} />}
        <span className={rows.detail}>
          {events.map((kind) => (
            <span key={kind}>{t.eventKinds[kind]}</span>
          ))}
          {room && <TenantText text={room.name} />}
        </span>
        {last_error_code !== null && last_refused_at !== null && (
          <span className={rows.detail}>
            <span>{t.lastRefused}</span>
            <code>{last_error_code}</code>
            <Moment at={last_refused_at} />
          </span>
        )}
      </div>
      <StateBadge machine="table_trigger" state={state} />
    </li>
  )
}
