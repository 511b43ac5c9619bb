import { plainText } from '@sandbox-jobs/contract/plain-text.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../data/api/api.ts'
import { menuOf } from '../../data/rooms/menu.ts'
import { Field } from '../../parts/field.tsx'
import { Panel } from '../../parts/panel.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { ManagedRoomPage } from '../rooms/managed-room-page.tsx'
import { bodyOfSchedule, newDraft } from './schedule-draft.ts'
import { ScheduleForm } from './schedule-form.tsx'
import styles from './schedules.module.css'

/** A new schedule of a room: the task, its times and its input. */
export function NewSchedulePage() {
  const t = useTexts()
  const { cid } = useParams({ from: '/signed-in/chatrooms/$cid/schedules/new' })
  return (
    <ManagedRoomPage
      cid={cid}
      title={() => t.schedules.make}
      parent={{ text: t.schedules.list, to: `/chatrooms/${cid}/schedules` }}
    >
      {() => <NewSchedule cid={cid} />}
    </ManagedRoomPage>
  )
}

function NewSchedule({ cid }: { cid: string }) {
  const t = useTexts()
  const menu = useQuery(menuOf(cid))
  const [chosen, setChosen] = useState<string>()
  return (
    <Panel query={menu} rows={6} empty={(items) => items.length === 0 && t.room.noJobs}>
      {(items) => {
        const item = items.find(({ task_id }) => task_id === chosen) ?? items[0]
        return (
          <div className={styles.form}>
            <Field label={t.schedules.task}>
              {(tied) => (
                <select {...tied} value={item?.task_id} onChange={(event) => setChosen(event.target.value)}>
                  {items.map(({ task_id, task_name }) => (
                    <option key={task_id} value={task_id}>
                      {plainText(task_name)}
                    </option>
                  ))}
                </select>
              )}
            </Field>
            {item && (
              <ScheduleForm
                key={item.task_version_id}
                cid={cid}
                item={item}
                startsWith={newDraft(item)}
                act={t.schedules.make}
                save={(draft) =>
                  api.call(allRoutes.createSchedule, {
                    params: { cid },
                    body: { ...bodyOfSchedule(draft), task_id: item.task_id },
                  })
                }
              />
            )}
          </div>
        )
      }}
    </Panel>
  )
}
