import type { Schedule } from '@sandbox-jobs/contract/resources/schedules/schedule.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../data/api/api.ts'
import { menuOf } from '../../data/rooms/menu.ts'
import { scheduleInputOf, scheduleOf } from '../../data/rooms/schedules.ts'
import { Panel } from '../../parts/panel.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { isNotFound } from '../not-found/is-not-found.ts'
import { NotFoundPage } from '../not-found/not-found-page.tsx'
import { ManagedRoomPage } from '../rooms/managed-room-page.tsx'
import { changesOf, draftOfSchedule } from './schedule-draft.ts'
import { ScheduleForm } from './schedule-form.tsx'

/** A schedule that is changed. Its later runs are those of the person who changes it. */
export function ChangeSchedulePage() {
  const t = useTexts().schedules
  const { cid, sid } = useParams({ from: '/signed-in/chatrooms/$cid/schedules/$sid' })
  const schedule = useQuery(scheduleOf(cid, sid))
  if (isNotFound(schedule.error)) return <NotFoundPage />
  const name = schedule.data?.name ?? ''
  return (
    <ManagedRoomPage
      cid={cid}
      title={() => t.changeNamed(name)}
      parent={{ text: t.list, to: `/chatrooms/${cid}/schedules` }}
    >
      {() => (
        <Panel query={schedule} rows={8}>
          {(shown) => <WithInput schedule={shown} />}
        </Panel>
      )}
    </ManagedRoomPage>
  )
}

function WithInput({ schedule }: { schedule: Schedule }) {
  const t = useTexts().schedules
  const { chatroom_id: cid, id: sid, paused_because } = schedule
  const input = useQuery(scheduleInputOf(cid, sid))
  return (
    <>
      <p>{t.changeWhy}</p>
      {paused_because !== null && <p>{t.staysPaused}</p>}
      <Panel query={input} rows={8}>
        {(text) => <StoredForm schedule={schedule} input={text} />}
      </Panel>
    </>
  )
}

/** The fields begin with what is stored when the form opens. A change that somebody else makes meanwhile is not overwritten. */
function StoredForm({ schedule, input }: { schedule: Schedule; input: string }) {
  const t = useTexts()
  const { chatroom_id: cid, id: sid, task_id } = schedule
  const menu = useQuery(menuOf(cid))
  const [stored] = useState(() => draftOfSchedule(schedule, input))
  return (
    <Panel
      query={menu}
      rows={8}
      empty={(items) => !items.some((item) => item.task_id === task_id) && t.schedules.notOffered}
    >
      {(items) =>
        items
          .filter((item) => item.task_id === task_id)
          .map((item) => (
            <ScheduleForm
              key={sid}
              cid={cid}
              item={item}
              startsWith={stored}
              act={t.schedules.save}
              save={(draft) =>
                api.call(allRoutes.updateSchedule, { params: { cid, sid }, body: changesOf(stored, draft) })
              }
              refusalOf={(draft) =>
                Object.keys(changesOf(stored, draft)).length === 0 ? t.schedules.noChange : undefined
              }
            />
          ))
      }
    </Panel>
  )
}
