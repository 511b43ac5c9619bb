import { plainText } from '@sandbox-jobs/contract/plain-text.ts'
import type { Schedule } from '@sandbox-jobs/contract/resources/schedules/schedule.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../data/api/api.ts'
import { readSchedulesAgain } from '../../data/rooms/schedules.ts'
import links from '../../parts/button.module.css'
import { Button } from '../../parts/button.tsx'
import { ErrorBox } from '../../parts/error-box.tsx'
import { FinalAct } from '../../parts/final-act.tsx'
import rows from '../../parts/row-list.module.css'
import { TenantText } from '../../parts/tenant-text.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { NextTicks } from './next-ticks.tsx'
import { ScheduleTicks } from './schedule-ticks.tsx'

/** A schedule with its next ticks and its last runs. */
export function ScheduleRow({ schedule, manages }: { schedule: Schedule; manages: boolean }) {
  const t = useTexts().schedules
  const { name, cron, time_zone, paused_because } = schedule
  const [areTicksShown, setAreTicksShown] = useState(false)
  return (
    <li>
      <div className={rows.words}>
        <TenantText text={name} />
        <span className={rows.detail}>
          <TenantText text={schedule.task_name} />
          <TenantText text={`${cron} ${time_zone}`} />
        </span>
        {paused_because === null ? (
          <NextTicks times={schedule.next_at} />
        ) : (
          <span className={rows.detail}>{t.paused[paused_because]}</span>
        )}
        <details onToggle={(event) => setAreTicksShown(event.currentTarget.open)}>
          <summary>{t.lastRuns}</summary>
          {areTicksShown && <ScheduleTicks cid={schedule.chatroom_id} sid={schedule.id} />}
        </details>
      </div>
      {manages && <Acts schedule={schedule} />}
    </li>
  )
}

function Acts({ schedule: { id: sid, chatroom_id: cid, name, paused_because } }: { schedule: Schedule }) {
  const t = useTexts().schedules
  const queries = useQueryClient()
  const readAgain = () => readSchedulesAgain(queries)
  const params = { cid, sid }
  const enable = useMutation({
    mutationFn: (enabled: boolean) => api.call(allRoutes.updateSchedule, { params, body: { enabled } }),
    onSuccess: readAgain,
  })
  const isPaused = paused_because !== null
  return (
    <>
      <Link
        to="/chatrooms/$cid/schedules/$sid"
        params={params}
        className={links.button}
        aria-label={plainText(t.changeNamed(name))}
      >
        {t.change}
      </Link>
      <Button
        label={isPaused ? t.resumeNamed(name) : t.pauseNamed(name)}
        isBusy={enable.isPending}
        onPress={() => enable.mutate(isPaused)}
      >
        {isPaused ? t.resume : t.pause}
      </Button>
      <FinalAct
        label={t.removeNamed(name)}
        act={t.remove}
        title={t.removeNamed(name)}
        why={t.removeWhy}
        run={() => api.call(allRoutes.deleteSchedule, { params })}
        onDone={readAgain}
      />
      {enable.error && <ErrorBox error={enable.error} />}
    </>
  )
}
