import type { SchedulePreview } from '@sandbox-jobs/contract/resources/schedules/schedule.ts'
import { useQuery } from '@tanstack/react-query'
import { previewOf } from '../../data/rooms/schedules.ts'
import { useSettled } from '../../data/settled.ts'
import { Panel } from '../../parts/panel.tsx'
import { Refusals } from '../../parts/refusals.tsx'
import rows from '../../parts/row-list.module.css'
import { useFormats, useTexts } from '../../texts/texts.tsx'
import { isRunTimeout } from '../run-form/timeout-option.tsx'
import { NextTicks } from './next-ticks.tsx'
import type { ScheduleDraft } from './schedule-draft.ts'
import styles from './schedules.module.css'

const settledMs = 600

interface Props {
  cid: string
  taskId: string
  draft: ScheduleDraft
}

/** The next five ticks and the price of a schedule that is typed. */
export function SchedulePreviewBox({ cid, taskId, draft }: Props) {
  const t = useTexts().schedules
  const { values, timeout } = useSettled(draft, settledMs)
  const { cron, time_zone } = values
  const timeouts = timeout !== '' && isRunTimeout(timeout) ? { timeout_seconds: Number(timeout) } : {}
  const preview = useQuery(previewOf(cid, { task_id: taskId, cron, time_zone, ...timeouts }))
  return (
    <section className={styles.preview} aria-label={t.preview} aria-live="polite">
      <Panel query={preview} rows={3}>
        {(shown) => <Shown preview={shown} />}
      </Panel>
    </section>
  )
}

function Shown({ preview }: { preview: SchedulePreview }) {
  const t = useTexts()
  const formats = useFormats()
  const { run, ticks_30_days: ticks, hold_30_days: most, typical_cost_30_days: usual } = preview
  const money = (amount: string) => formats.money(amount, run.currency ?? '')
  return (
    <>
      <h2>{t.schedules.next}</h2>
      <NextTicks times={preview.next_at} />
      <ul className={rows.detail}>
        <li>{t.schedules.ticks(ticks)}</li>
        {most !== null && <li>{t.schedules.most(money(most))}</li>}
        {usual !== null && <li>{t.schedules.usual(money(usual))}</li>}
      </ul>
      <Refusals refusals={run.refusals} />
    </>
  )
}
