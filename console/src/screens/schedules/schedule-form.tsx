import type { MenuItem } from '@sandbox-jobs/contract/resources/tasks/menu.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { api } from '../../data/api/api.ts'
import { readSchedulesAgain } from '../../data/rooms/schedules.ts'
import { initialValue } from '../../form/defaults.ts'
import { InputForm, type InputFormHandle } from '../../form/input-form.tsx'
import { ErrorBox } from '../../parts/error-box.tsx'
import { Form } from '../../parts/form.tsx'
import { SubmitButton } from '../../parts/submit-button.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { parsedText } from '../run-form/parsed-text.ts'
import { ScheduleFields, type ScheduleValues } from './schedule-fields.tsx'
import { SchedulePreviewBox } from './schedule-preview.tsx'
import styles from './schedules.module.css'

/** Times, input and options of a schedule, with its next ticks and its price. */
export function ScheduleForm({ cid, item }: { cid: string; item: MenuItem }) {
  const t = useTexts()
  const schema = parsedText(item.input_schema)
  const [input, setInput] = useState(() => initialValue(schema))
  const [values, setValues] = useState<ScheduleValues>(() => ({
    name: item.task_name,
    cron: '0 8 * * mon-fri',
    time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    missed: 'skip',
  }))
  const form = useRef<InputFormHandle>(null)
  const queries = useQueryClient()
  const navigate = useNavigate()
  const make = useMutation({
    mutationFn: () =>
      api.call(allRoutes.createSchedule, {
        params: { cid },
        body: { ...values, task_id: item.task_id, input: input ?? null },
      }),
    onSuccess: async () => {
      await readSchedulesAgain(queries)
      await navigate({ to: '/chatrooms/$cid/schedules', params: { cid } })
    },
  })

  async function send(): Promise<void> {
    if (make.isPending) return
    if (await form.current?.check()) make.mutate()
  }

  return (
    <Form className={styles.form} onSubmit={() => void send()}>
      <ScheduleFields values={values} onValues={setValues} />
      <section>
        <h2>{t.form.input}</h2>
        <InputForm
          ref={form}
          schema={schema}
          example={parsedText(item.input_example)}
          value={input}
          onValue={setInput}
        />
      </section>
      <SchedulePreviewBox cid={cid} taskId={item.task_id} values={values} />
      {make.error && <ErrorBox error={make.error} />}
      <SubmitButton isBusy={make.isPending}>{t.schedules.make}</SubmitButton>
    </Form>
  )
}
