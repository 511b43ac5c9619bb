import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useTrail } from '../../app/trail.ts'
import { noteRoom } from '../../data/rooms/last-rooms.ts'
import { menuOf } from '../../data/rooms/menu.ts'
import { useRoom } from '../../data/rooms/rooms.ts'
import { newestRuns } from '../../data/runs/runs.ts'
import cards from '../../parts/card.module.css'
import { Page } from '../../parts/page.tsx'
import { Panel } from '../../parts/panel.tsx'
import { TenantText } from '../../parts/tenant-text.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { isNotFound } from '../not-found/is-not-found.ts'
import { NotFoundPage } from '../not-found/not-found-page.tsx'
import { CommandsSection } from '../room-commands/commands-section.tsx'
import { RunList } from '../runs/run-list.tsx'
import { JobCard } from './job-card.tsx'
import { RoomPeople } from './room-people.tsx'
import { RoomTabs } from './room-tabs.tsx'
import styles from './rooms.module.css'

const shownRuns = 20

/** The jobs that a room offers, its last runs, and who is in it. */
export function RoomPage() {
  const t = useTexts()
  const { cid } = useParams({ from: '/signed-in/chatrooms/$cid' })
  const room = useRoom(cid)
  const menu = useQuery(menuOf(cid))
  const runs = useQuery(newestRuns({ chatroom_id: cid }, shownRuns))
  useTrail([{ text: t.rooms.title, to: '/chatrooms' }])
  useEffect(() => {
    if (room) noteRoom(cid)
  }, [cid, room])
  if (isNotFound(menu.error)) return <NotFoundPage />
  const name = room?.name ?? ''
  return (
    <Page title={name} detail={room && <TenantText text={room.department_name} />}>
      <RoomTabs cid={cid} />
      <div className={styles.columns}>
        <section className={styles.part}>
          <h2>{t.room.jobs}</h2>
          <Panel query={menu} rows={4} empty={(items) => items.length === 0 && t.room.noJobs}>
            {(items) => (
              <ul className={cards.grid}>
                {items.map((item) => (
                  <JobCard key={item.task_id} cid={cid} item={item} />
                ))}
              </ul>
            )}
          </Panel>
          <CommandsSection cid={cid} />
        </section>
        <div className={styles.part}>
          <section className={styles.part}>
            <h2>{t.room.runs}</h2>
            <Panel query={runs} rows={6} empty={({ items }) => items.length === 0 && t.room.noRuns}>
              {({ items }) => (
                <>
                  <RunList runs={items} />
                  <Link to="/chatrooms/$cid/runs" params={{ cid }} search={{}}>
                    {t.room.allRuns}
                  </Link>
                </>
              )}
            </Panel>
          </section>
          <RoomPeople cid={cid} />
        </div>
      </div>
    </Page>
  )
}
