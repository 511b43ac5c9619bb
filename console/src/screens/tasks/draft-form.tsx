import { timeoutMaxSeconds } from '@sandbox-jobs/contract/limits.ts'
import type { TaskVersion } from '@sandbox-jobs/contract/resources/tasks/task-version.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useBlocker, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { keysOf, useAction } from '../../app/actions.ts'
import { connection } from '../../data/api/api.ts'
import { readTasksAgain } from '../../data/authoring/tasks.ts'
import { useStore } from '../../data/store.ts'
import { CheckBox } from '../../parts/check-box.tsx'
import { EnvironmentSelect } from '../../parts/environment-select.tsx'
import { ErrorBox } from '../../parts/error-box.tsx'
import { Field } from '../../parts/field.tsx'
import { Form } from '../../parts/form.tsx'
import { SubmitButton } from '../../parts/submit-button.tsx'
import { isTimeout, TimeoutField } from '../../parts/timeout-field.tsx'
import { useTexts } from '../../texts/texts.tsx'
import type { Draft } from './draft.ts'
import styles from './tasks.module.css'

interface Props {
  startsWith: Draft
  /** Name of the environment of a version that the draft begins with. */
  environmentName?: string
  save: (draft: Draft) => Promise<TaskVersion>
}

/** The texts of a draft in their order. */
const areas = [
  { name: 'work', rows: 12, isCode: true },
  { name: 'startup', rows: 3, isCode: true },
  { name: 'instructions', rows: 4, isCode: false },
  { name: 'schema', rows: 8, isCode: true },
  { name: 'example', rows: 4, isCode: true },
  { name: 'secrets', rows: 1, isCode: false },
] as const

/** A draft with its scripts and the shape of its input. Leaving with changes asks first. */
export function DraftForm({ startsWith, environmentName, save }: Props) {
  const t = useTexts()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const isUp = useStore(connection.state).isUp
  const [draft, setDraft] = useState(startsWith)
  const [isTried, setIsTried] = useState(false)
  const change = (changed: Partial<Draft>) => setDraft((before) => ({ ...before, ...changed }))
  const store = useMutation({
    mutationFn: () => save(draft),
    onSuccess: async ({ task_id: id, id: vid }) => {
      await readTasksAgain(queries)
      await navigate({ to: '/tasks/$id/versions/$vid', params: { id, vid }, ignoreBlocker: true })
    },
  })
  const isChanged = JSON.stringify(draft) !== JSON.stringify(startsWith)
  useBlocker({
    shouldBlockFn: () => isChanged && !confirm(t.tasks.leave),
    enableBeforeUnload: isChanged,
  })

  const hasEnvironment = draft.environmentVersion !== ''

  function send(): void {
    setIsTried(true)
    if (!store.isPending && isUp && isTimeout(draft.timeout, timeoutMaxSeconds) && hasEnvironment)
      store.mutate()
  }

  useAction('save', send)

  return (
    <Form className={styles.form} onSubmit={send}>
      <EnvironmentSelect
        value={draft.environmentVersion}
        name={environmentName}
        error={isTried && !hasEnvironment ? t.tasks.noEnvironment : undefined}
        onValue={(environmentVersion) => change({ environmentVersion })}
      />
      <DraftTexts draft={draft} onChange={change} />
      <TimeoutField
        value={draft.timeout}
        max={timeoutMaxSeconds}
        onValue={(timeout) => change({ timeout })}
      />
      <CheckBox isChecked={draft.isConfirmed} onCheck={(isConfirmed) => change({ isConfirmed })}>
        {t.tasks.confirmationHelp}
      </CheckBox>
      {store.error && <ErrorBox error={store.error} />}
      <SubmitButton keys={keysOf('save')} isBusy={store.isPending}>
        {t.tasks.save}
      </SubmitButton>
    </Form>
  )
}

interface TextsProps {
  draft: Draft
  onChange: (changed: Partial<Draft>) => void
}

function DraftTexts({ draft, onChange }: TextsProps) {
  const t = useTexts()
  return areas.map(({ name, rows, isCode }) => (
    <Field key={name} label={t.tasks.fields[name]} help={t.tasks.helps[name]}>
      {(tied) => (
        <textarea
          {...tied}
          className={isCode ? styles.code : undefined}
          rows={rows}
          spellCheck={false}
          value={draft[name]}
          onChange={(event) => onChange({ [name]: event.target.value })}
        />
      )}
    </Field>
  ))
}
