import { timeoutMaxSeconds } from '@sandbox-jobs/contract/limits.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { keysOf, useAction } from '../../app/actions.ts'
import { api, connection } from '../../data/api/api.ts'
import { isJson } from '../../data/is-json.ts'
import { useStore } from '../../data/store.ts'
import { CodeField } from '../../editor/code-field.tsx'
import { EnvironmentSelect } from '../../parts/environment-select.tsx'
import { ErrorBox } from '../../parts/error-box.tsx'
import { Form } from '../../parts/form.tsx'
import { NameField } from '../../parts/name-field.tsx'
import { SubmitButton } from '../../parts/submit-button.tsx'
import { isTimeout, TimeoutField } from '../../parts/timeout-field.tsx'
import { useTexts } from '../../texts/texts.tsx'
import styles from './quick-run.module.css'
import { bodyOf, emptyQuickRun, type QuickRunDraft } from './quick-run-draft.ts'

/** The key stays the same while what would run does: a repeated press makes no second run. */
export function QuickRunForm({ cid }: { cid: string }) {
  const t = useTexts()
  const navigate = useNavigate()
  const isUp = useStore(connection.state).isUp
  const [draft, setDraft] = useState({ ...emptyQuickRun, idempotencyKey: crypto.randomUUID() })
  const [isTried, setIsTried] = useState(false)
  const change = (changed: Partial<QuickRunDraft>) =>
    setDraft((before) => ({ ...before, ...changed, idempotencyKey: crypto.randomUUID() }))
  const run = useMutation({
    mutationFn: () =>
      api.call(allRoutes.quickRun, {
        params: { cid },
        body: bodyOf(draft),
        idempotencyKey: draft.idempotencyKey,
      }),
    onSuccess: ({ run: { id: rid } }) => navigate({ to: '/chatrooms/$cid/runs/$rid', params: { cid, rid } }),
  })
  const isComplete =
    draft.name.trim() !== '' &&
    draft.environmentVersion !== '' &&
    isJson(draft.input) &&
    isTimeout(draft.timeout, timeoutMaxSeconds)
  function send(): void {
    setIsTried(true)
    if (isComplete && isUp && !run.isPending) run.mutate()
  }
  useAction('submit', send)
  return (
    <Form className={styles.form} onSubmit={send}>
      <p>{t.quickRun.why}</p>
      <NameField value={draft.name} isTried={isTried} onValue={(name) => change({ name })} />
      <EnvironmentSelect
        value={draft.environmentVersion}
        error={isTried && draft.environmentVersion === '' ? t.tasks.noEnvironment : undefined}
        onValue={(environmentVersion) => change({ environmentVersion })}
      />
      <CodeField
        label={t.quickRun.script}
        help={t.quickRun.scriptHelp}
        language="shell"
        value={draft.script}
        onValue={(script) => change({ script })}
      />
      <CodeField
        label={t.form.input}
        help={isTried && !isJson(draft.input) ? t.quickRun.noJson : t.quickRun.inputHelp}
        language="json"
        value={draft.input}
        onValue={(input) => change({ input })}
      />
      <TimeoutField
        value={draft.timeout}
        max={timeoutMaxSeconds}
        onValue={(timeout) => change({ timeout })}
      />
      {run.error && <ErrorBox error={run.error} />}
      <SubmitButton icon="play" isBusy={run.isPending} keys={keysOf('submit')}>
        {t.form.run}
      </SubmitButton>
    </Form>
  )
}
