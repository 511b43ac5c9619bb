import {
  type TableTrigger,
  type TriggerEvent,
  triggerEventStatuses,
} from '@sandbox-jobs/contract/resources/tables/table-trigger.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { triggerEventsOf } from '../../data/authoring/tables.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Chips } from '../../parts/chips.tsx'
import { Moment } from '../../parts/moment.tsx'
import { MoreButton } from '../../parts/more-button.tsx'
import { Panel } from '../../parts/panel.tsx'
import table from '../../parts/table.module.css'
import { useTexts } from '../../texts/texts.tsx'
import styles from '../tables/tables.module.css'

const looks = {
  waiting: { tone: 'soft', icon: 'clock' },
  started: { tone: 'success', icon: 'done' },
  refused: { tone: 'danger', icon: 'failed' },
} as const

/** The row events of a trigger, the newest first. */
export function TriggerEvents({ trigger }: { trigger: TableTrigger }) {
  const t = useTexts().tables
  const { status } = useSearch({ from: '/signed-in/tables/$id/triggers/$tid' })
  const navigate = useNavigate({ from: '/tables/$id/triggers/$tid' })
  const list = useInfiniteQuery(triggerEventsOf(trigger.id, status))
  return (
    <section className={styles.part}>
      <div className={styles.acts}>
        <h2>{t.events}</h2>
        <Button icon="retry" isBusy={list.isRefetching} onPress={() => void list.refetch()}>
          {t.readAgain}
        </Button>
      </div>
      <p className={styles.help}>{t.eventsHelp}</p>
      <Chips
        label={t.state}
        items={triggerEventStatuses.map((value) => ({ value, text: t.statuses[value], ...looks[value] }))}
        chosen={status ? [status] : []}
        onChange={(chosen) => {
          const next = chosen.find((each) => each !== status)
          void navigate({ search: next ? { status: next } : {}, replace: true })
        }}
      />
      <Panel
        query={list}
        empty={({ pages }) => pages[0]?.items.length === 0 && (status ? t.noEventMatches : t.noEvents)}
      >
        {({ pages }) => (
          <>
            <table className={table.table}>
              <thead>
                <tr>
                  <th scope="col">{t.state}</th>
                  <th scope="col" className={styles.wide}>
                    {t.event}
                  </th>
                  <th scope="col" className={styles.wide}>
                    {t.row}
                  </th>
                  <th scope="col">{t.outcome}</th>
                  <th scope="col">{t.at}</th>
                </tr>
              </thead>
              <tbody>
                {pages
                  .flatMap(({ items }) => items)
                  .map((event) => (
                    <EventRow key={event.id} event={event} trigger={trigger} />
                  ))}
              </tbody>
            </table>
            <MoreButton query={list} />
          </>
        )}
      </Panel>
    </section>
  )
}

function EventRow({ event, trigger }: { event: TriggerEvent; trigger: TableTrigger }) {
  const t = useTexts().tables
  const { status, event: kind, row_id, row_version, run_id, error_code, created_at } = event
  return (
    <tr>
      <td>
        <Badge {...looks[status]}>{t.statuses[status]}</Badge>
      </td>
      <td className={styles.wide}>{t.eventKinds[kind]}</td>
      <td className={styles.wide}>
        <Link to="/tables/$id/rows" params={{ id: trigger.table_id }} search={{ row: row_id }}>
          {t.rowVersion(row_version)}
        </Link>
      </td>
      <td>
        {run_id !== null && (
          <Link to="/chatrooms/$cid/runs/$rid" params={{ cid: trigger.chatroom_id, rid: run_id }}>
            {t.openRun}
          </Link>
        )}
        {error_code !== null && <code>{error_code}</code>}
      </td>
      <td className={table.number}>
        <Moment at={created_at} />
      </td>
    </tr>
  )
}
