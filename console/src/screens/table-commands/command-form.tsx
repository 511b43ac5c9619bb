import {
  commandAuthorities,
  commandModes,
  type TableCommand,
  type TableCommandCreateRequest,
} from '@sandbox-jobs/contract/resources/tables/table-command.ts'
import type { TableField } from '@sandbox-jobs/contract/resources/tables/table-field.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { readCommandsAgain } from '../../data/authoring/tables.ts'
import { ErrorBox } from '../../parts/error-box.tsx'
import { Field } from '../../parts/field.tsx'
import { Form } from '../../parts/form.tsx'
import { SubmitButton } from '../../parts/submit-button.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { NameFields } from '../tables/name-fields.tsx'
import styles from '../tables/tables.module.css'
import { bodyOfCommand, type CommandDraft, isCommandComplete } from './command-draft.ts'
import { GrantSelect } from './grant-select.tsx'
import { InputUses } from './input-uses.tsx'

interface Props {
  fields: readonly TableField[]
  startsWith: CommandDraft
  act: string
  save: (body: TableCommandCreateRequest) => Promise<TableCommand>
}

/** A command: its inputs, what it does, and who may use it. */
export function CommandForm({ fields, startsWith, act, save }: Props) {
  const t = useTexts()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [draft, setDraft] = useState(startsWith)
  const [isTried, setIsTried] = useState(false)
  const change = (changed: Partial<CommandDraft>) => setDraft((before) => ({ ...before, ...changed }))
  const store = useMutation({
    mutationFn: () => save(bodyOfCommand(draft, fields)),
    onSuccess: async ({ table_id: id }) => {
      await readCommandsAgain(queries)
      await navigate({ to: '/tables/$id/commands', params: { id } })
    },
  })
  function send(): void {
    setIsTried(true)
    if (isCommandComplete(draft) && !store.isPending) store.mutate()
  }
  const missing = (isMissing: boolean, why: string) => (isTried && isMissing ? why : undefined)
  return (
    <Form className={styles.form} onSubmit={send}>
      <NameFields value={draft} isTried={isTried} onChange={change} />
      <Field label={t.tables.mode}>
        {(tied) => (
          <select
            {...tied}
            value={draft.mode}
            onChange={(event) => change({ mode: event.target.value as CommandDraft['mode'] })}
          >
            {commandModes.map((mode) => (
              <option key={mode} value={mode}>
                {t.tables.modes[mode]}
              </option>
            ))}
          </select>
        )}
      </Field>
      <InputUses
        fields={fields}
        inputs={draft.inputs}
        canIdentify={draft.mode === 'write'}
        error={missing(Object.keys(draft.inputs).length === 0, t.tables.noInputs)}
        onChange={(inputs) => change({ inputs })}
      />
      <Field label={t.tables.authority}>
        {(tied) => (
          <select
            {...tied}
            value={draft.authority}
            onChange={(event) => change({ authority: event.target.value as CommandDraft['authority'] })}
          >
            {commandAuthorities.map((authority) => (
              <option key={authority} value={authority}>
                {t.tables.authorities[authority]}
              </option>
            ))}
          </select>
        )}
      </Field>
      <GrantSelect
        value={draft.grant}
        error={missing(draft.grant === '', t.tables.noGrant)}
        onValue={(grant) => change({ grant })}
      />
      {store.error && <ErrorBox error={store.error} />}
      <SubmitButton isBusy={store.isPending}>{act}</SubmitButton>
    </Form>
  )
}
