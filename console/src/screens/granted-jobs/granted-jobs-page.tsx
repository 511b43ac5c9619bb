import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useTrail } from '../../app/trail.ts'
import { grantedJobsOf } from '../../data/granted-jobs.ts'
import { ownRooms } from '../../data/rooms.ts'
import { Page } from '../../parts/page.tsx'
import { Panel } from '../../parts/panel.tsx'
import { TenantText } from '../../parts/tenant-text.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { NotFoundPage } from '../not-found/not-found-page.tsx'
import { RoomTabs } from '../rooms/room-tabs.tsx'
import { GrantedJobRow } from './granted-job-row.tsx'
import styles from './granted-jobs.module.css'

/** The tasks that are shared with a room, for its manager, who decides what the room offers. */
export function GrantedJobsPage() {
  const t = useTexts()
  const { cid } = useParams({ from: '/signed-in/chatrooms/$cid/manage/jobs' })
  const rooms = useQuery(ownRooms)
  const room = rooms.data?.find(({ id }) => id === cid)
  const jobs = useQuery({ ...grantedJobsOf(cid), enabled: room?.manages === true })
  const name = room?.name ?? ''
  useTrail([
    { text: t.rooms.title, to: '/chatrooms' },
    { text: name, to: `/chatrooms/${cid}` },
  ])
  if (rooms.data && !room?.manages) return <NotFoundPage />
  return (
    <Page title={t.grantedJobs.title(name)} heading={<TenantText text={t.grantedJobs.title(name)} />}>
      <RoomTabs cid={cid} />
      <p>{t.grantedJobs.why}</p>
      <Panel query={jobs} rows={4} empty={(items) => items.length === 0 && t.grantedJobs.none}>
        {(items) => (
          <ul className={styles.list}>
            {items.map((job) => (
              <GrantedJobRow key={job.task_id} cid={cid} job={job} />
            ))}
          </ul>
        )}
      </Panel>
    </Page>
  )
}
