import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { grantedJobsOf } from '../../data/rooms/granted-jobs.ts'
import { Panel } from '../../parts/panel.tsx'
import rows from '../../parts/row-list.module.css'
import { useTexts } from '../../texts/texts.tsx'
import { ManagedRoomPage } from '../rooms/managed-room-page.tsx'
import { GrantedJobRow } from './granted-job-row.tsx'

/** The tasks that are shared with a room, for its manager, who decides what the room offers. */
export function GrantedJobsPage() {
  const t = useTexts()
  const { cid } = useParams({ from: '/signed-in/chatrooms/$cid/manage/jobs' })
  return (
    <ManagedRoomPage cid={cid} title={t.grantedJobs.title}>
      {() => <GrantedJobs cid={cid} />}
    </ManagedRoomPage>
  )
}

function GrantedJobs({ cid }: { cid: string }) {
  const t = useTexts()
  const jobs = useQuery(grantedJobsOf(cid))
  return (
    <>
      <p>{t.grantedJobs.why}</p>
      <Panel query={jobs} rows={4} empty={(items) => items.length === 0 && t.grantedJobs.none}>
        {(items) => (
          <ul className={rows.list}>
            {items.map((job) => (
              <GrantedJobRow key={job.task_id} cid={cid} job={job} />
            ))}
          </ul>
        )}
      </Panel>
    </>
  )
}
