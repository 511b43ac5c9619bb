import { timeoutMaxSeconds } from '@sandbox-jobs/contract/limits.ts'
import type { OwnChatroom } from '@sandbox-jobs/contract/resources/companies/chatroom.ts'
import {
  type RowEventKind,
  rowEvents,
  type TableTrigger,
  type TableTriggerCreateRequest,
} from '@sandbox-jobs/contract/resources/tables/table-trigger.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { readTriggersAgain } from '../../data/authoring/tables.ts'
import { isJson } from '../../data/is-json.ts'
import { CheckBox } from '../../parts/check-box.tsx'
import { ErrorBox } from '../../parts/error-box.tsx'
import { Form } from '../../parts/form.tsx'
import { RoomField } from '../../parts/room-field.tsx'
import { SubmitButton } from '../../parts/submit-button.tsx'
import { TimeoutField } from '../../parts/timeout-field.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { NameFields } from '../tables/name-fields.tsx'
import styles from '../tables/tables.module.css'
import { TemplateField } from './template-field.tsx'
import { bodyOfTrigger, isTriggerComplete, type TriggerDraft } from './trigger-draft.ts'
import { VersionChoice } from './version-choice.tsx'

interface Props {
  rooms: readonly OwnChatroom[]
  startsWith: TriggerDraft
  act: string
  save: (body: TableTriggerCreateRequest) => Promise<TableTrigger>
}

/** A trigger: which changes of rows start a run, of what, and with which input. */
export function TriggerForm({ rooms, startsWith, act, save }: Props) {
  const t = useTexts()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [draft, setDraft] = useState(startsWith)
  const [isTried, setIsTried] = useState(false)
  const change = (changed: Partial<TriggerDraft>) => setDraft((before) => ({ ...before, ...changed }))
  const store = useMutation({
    mutationFn: () => save(bodyOfTrigger(draft)),
    onSuccess: async ({ table_id: id, id: tid }) => {
      await readTriggersAgain(queries)
      await navigate({ to: '/tables/$id/triggers/$tid', params: { id, tid } })
    },
  })
  function send(): void {
    setIsTried(true)
    if (isTriggerComplete(draft) && !store.isPending) store.mutate()
  }
  const missing = (isMissing: boolean, why: string) => (isTried && isMissing ? why : undefined)
  const isRoomListed = rooms.some(({ id }) => id === draft.room)
  return (
    <Form className={styles.form} onSubmit={send}>
      <NameFields value={draft} isTried={isTried} onChange={change} />
      <EventBoxes
        events={draft.events}
        error={missing(draft.events.length === 0, t.tables.noEventKinds)}
        onChange={(events) => change({ events })}
      />
      <RoomField
        label={t.tables.room}
        rooms={rooms}
        value={draft.room}
        onValue={(room) => change({ room, version: '' })}
      >
        {!isRoomListed && <option value={draft.room}>{t.tables.sameRoom}</option>}
      </RoomField>
      <VersionChoice
        cid={draft.room}
        value={draft.version}
        error={missing(draft.version === '', t.tables.noTask)}
        onValue={(version) => change({ version })}
      />
      <TemplateField
        value={draft.template}
        error={missing(!isJson(draft.template), t.tables.notJson)}
        onValue={(template) => change({ template })}
      />
      <TimeoutField
        isOptional
        value={draft.timeout}
        max={timeoutMaxSeconds}
        onValue={(timeout) => change({ timeout })}
      />
      {store.error && <ErrorBox error={store.error} />}
      <SubmitButton isBusy={store.isPending}>{act}</SubmitButton>
    </Form>
  )
}

interface EventProps {
  events: readonly RowEventKind[]
  error: string | undefined
  onChange: (events: RowEventKind[]) => void
}

function EventBoxes({ events, error, onChange }: EventProps) {
  const t = useTexts().tables
  return (
    <fieldset className={styles.fields}>
      <legend>{t.startsAt}</legend>
      {rowEvents.map((kind) => (
        <CheckBox
          key={kind}
          isChecked={events.includes(kind)}
          onCheck={(isChecked) =>
            onChange(rowEvents.filter((each) => (each === kind ? isChecked : events.includes(each))))
          }
        >
          {t.eventKinds[kind]}
        </CheckBox>
      ))}
      {error && (
        <p className={styles.error} role="alert">
          {error}
        </p>
      )}
    </fieldset>
  )
}
