import { timeoutMaxSeconds } from '@sandbox-jobs/contract/limits.ts'
import type { TaskVersion } from '@sandbox-jobs/contract/resources/tasks/task-version.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useBlocker, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { keysOf, useAction } from '../../app/actions.ts'
import { connection } from '../../data/api/api.ts'
import { readTasksAgain } from '../../data/authoring/tasks.ts'
import { useStore } from '../../data/store.ts'
import { CodeField } from '../../editor/code-field.tsx'
import { CheckBox } from '../../parts/check-box.tsx'
import { EnvironmentSelect } from '../../parts/environment-select.tsx'
import { ErrorBox } from '../../parts/error-box.tsx'
import { Field } from '../../parts/field.tsx'
import { Form } from '../../parts/form.tsx'
import { SubmitButton } from '../../parts/submit-button.tsx'
import { isTimeout, TimeoutField } from '../../parts/timeout-field.tsx'
import { useTexts } from '../../texts/texts.tsx'
import type { Draft } from './draft.ts'
import { LiveForm } from './live-form.tsx'
import styles from './tasks.module.css'

interface Props {
  startsWith: Draft
  /** Name of the environment of a version that the draft begins with. */
  environmentName?: string
  save: (draft: Draft) => Promise<TaskVersion>
}

/** The language of each text of code. */
const codes = { work: 'shell', startup: 'shell', schema: 'json', example: 'json' } as const

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
    <Form className={styles.draft} onSubmit={send}>
      <EnvironmentSelect
        value={draft.environmentVersion}
        name={environmentName}
        error={isTried && !hasEnvironment ? t.tasks.noEnvironment : undefined}
        onValue={(environmentVersion) => change({ environmentVersion })}
      />
      <Scripts draft={draft} onChange={change} />
      <Input draft={draft} onChange={change} />
      <Words name="secrets" rows={1} draft={draft} onChange={change} />
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

interface PartProps {
  draft: Draft
  onChange: (changed: Partial<Draft>) => void
}

function Scripts({ draft, onChange }: PartProps) {
  return (
    <>
      <Code name="work" draft={draft} onChange={onChange} />
      <Code name="startup" draft={draft} onChange={onChange} />
    </>
  )
}

/** The shape of the input, and beside it the form that people get from it. */
function Input({ draft, onChange }: PartProps) {
  return (
    <div className={styles.beside}>
      <div className={styles.form}>
        <Code name="schema" draft={draft} onChange={onChange} />
        <Code name="example" draft={draft} onChange={onChange} />
        <Words name="instructions" rows={4} draft={draft} onChange={onChange} />
      </div>
      <LiveForm schema={draft.schema} />
    </div>
  )
}

function Code({ name, draft, onChange }: PartProps & { name: keyof typeof codes }) {
  const t = useTexts().tasks
  return (
    <CodeField
      label={t.fields[name]}
      help={t.helps[name]}
      language={codes[name]}
      value={draft[name]}
      onValue={(text) => onChange({ [name]: text })}
    />
  )
}

function Words({
  name,
  rows,
  draft,
  onChange,
}: PartProps & { name: 'instructions' | 'secrets'; rows: number }) {
  const t = useTexts().tasks
  return (
    <Field label={t.fields[name]} help={t.helps[name]}>
      {(tied) => (
        <textarea
          {...tied}
          rows={rows}
          spellCheck={false}
          value={draft[name]}
          onChange={(event) => onChange({ [name]: event.target.value })}
        />
      )}
    </Field>
  )
}
