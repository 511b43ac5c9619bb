import type { Schedule } from '@sandbox-jobs/contract/resources/schedules/schedule.ts'
import type { MenuItem } from '@sandbox-jobs/contract/resources/tasks/menu.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { readSchedulesAgain } from '../../data/rooms/schedules.ts'
import { InputForm, type InputFormHandle } from '../../form/input-form.tsx'
import { ErrorBox } from '../../parts/error-box.tsx'
import { Form } from '../../parts/form.tsx'
import { SubmitButton } from '../../parts/submit-button.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { parsedText } from '../run-form/parsed-text.ts'
import { isRunTimeout, TimeoutOption } from '../run-form/timeout-option.tsx'
import type { ScheduleDraft } from './schedule-draft.ts'
import { ScheduleFields } from './schedule-fields.tsx'
import { SchedulePreviewBox } from './schedule-preview.tsx'
import styles from './schedules.module.css'

interface Props {
  cid: string
  item: MenuItem
  startsWith: ScheduleDraft
  act: string
  save: (draft: ScheduleDraft) => Promise<Schedule>
  /** Why a draft cannot be saved, beside what its fields show. */
  refusalOf?: (draft: ScheduleDraft) => string | undefined
}

/** Times, input and options of a schedule, with its next ticks and its price before it is saved. */
export function ScheduleForm({ cid, item, startsWith, act, save, refusalOf }: Props) {
  const t = useTexts()
  const [draft, setDraft] = useState(startsWith)
  const change = (changed: Partial<ScheduleDraft>) => setDraft((before) => ({ ...before, ...changed }))
  const form = useRef<InputFormHandle>(null)
  const queries = useQueryClient()
  const navigate = useNavigate()
  const refusal = refusalOf?.(draft)
  const store = useMutation({
    mutationFn: () => save(draft),
    onSuccess: async () => {
      await readSchedulesAgain(queries)
      await navigate({ to: '/chatrooms/$cid/schedules', params: { cid } })
    },
  })

  async function send(): Promise<void> {
    if (store.isPending || refusal !== undefined || !isRunTimeout(draft.timeout)) return
    if (await form.current?.check()) store.mutate()
  }

  return (
    <Form className={styles.form} onSubmit={() => void send()}>
      <ScheduleFields values={draft.values} onValues={(values) => change({ values })} />
      <section>
        <h2>{t.form.input}</h2>
        <InputForm
          ref={form}
          schema={parsedText(item.input_schema)}
          example={parsedText(item.input_example)}
          value={draft.input}
          onValue={(input) => change({ input })}
        />
      </section>
      <TimeoutOption
        value={draft.timeout}
        version={item.timeout_seconds}
        onValue={(timeout) => change({ timeout })}
      />
      <SchedulePreviewBox cid={cid} taskId={item.task_id} draft={draft} />
      {store.error && <ErrorBox error={store.error} />}
      <SubmitButton isBusy={store.isPending} disabledWhy={refusal}>
        {act}
      </SubmitButton>
    </Form>
  )
}
