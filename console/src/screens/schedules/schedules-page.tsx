import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useTrail } from '../../app/trail.ts'
import { useRoom } from '../../data/rooms/rooms.ts'
import { schedulesOf } from '../../data/rooms/schedules.ts'
import links from '../../parts/button.module.css'
import { Page } from '../../parts/page.tsx'
import { Panel } from '../../parts/panel.tsx'
import rows from '../../parts/row-list.module.css'
import { useTexts } from '../../texts/texts.tsx'
import { isNotFound } from '../not-found/is-not-found.ts'
import { NotFoundPage } from '../not-found/not-found-page.tsx'
import { RoomTabs } from '../rooms/room-tabs.tsx'
import { ScheduleRow } from './schedule-row.tsx'
import styles from './schedules.module.css'

/** The schedules of a room: its people see them, its managers change them. */
export function SchedulesPage() {
  const t = useTexts()
  const { cid } = useParams({ from: '/signed-in/chatrooms/$cid/schedules' })
  const room = useRoom(cid)
  const schedules = useQuery(schedulesOf(cid))
  const name = room?.name ?? ''
  useTrail([
    { text: t.rooms.title, to: '/chatrooms' },
    { text: name, to: `/chatrooms/${cid}` },
  ])
  if (isNotFound(schedules.error)) return <NotFoundPage />
  const manages = room?.manages === true
  return (
    <Page
      title={t.schedules.title(name)}
      actions={
        manages && (
          <Link to="/chatrooms/$cid/schedules/new" params={{ cid }} className={links.button}>
            {t.schedules.make}
          </Link>
        )
      }
    >
      <RoomTabs cid={cid} />
      <p>{t.schedules.why}</p>
      <Panel query={schedules} rows={4} empty={(items) => items.length === 0 && t.schedules.none}>
        {(items) => (
          <ul className={`${rows.list} ${styles.list}`}>
            {items.map((schedule) => (
              <ScheduleRow key={schedule.id} schedule={schedule} manages={manages} />
            ))}
          </ul>
        )}
      </Panel>
    </Page>
  )
}
