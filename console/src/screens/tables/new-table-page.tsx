import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTrail } from '../../app/trail.ts'
import { api } from '../../data/api/api.ts'
import { readTablesAgain } from '../../data/authoring/tables.ts'
import { me } from '../../data/person/me.ts'
import type { ChosenOwner } from '../../data/person/owners.ts'
import { ErrorBox } from '../../parts/error-box.tsx'
import { Form } from '../../parts/form.tsx'
import { OwnerSelect } from '../../parts/owner-select.tsx'
import { Page } from '../../parts/page.tsx'
import { Panel } from '../../parts/panel.tsx'
import { SubmitButton } from '../../parts/submit-button.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { NotFoundPage } from '../not-found/not-found-page.tsx'
import { areFieldsComplete, type FieldDraft, fieldsOfDrafts, withNewField } from './field-drafts.ts'
import { FieldRows } from './field-rows.tsx'
import { FlagBoxes, type TableFlags } from './flag-boxes.tsx'
import { NameFields } from './name-fields.tsx'
import styles from './tables.module.css'

interface Draft extends TableFlags {
  name: string
  description: string
  fields: FieldDraft[]
}

const emptyDraft: Draft = {
  name: '',
  description: '',
  fields: withNewField([]),
  commands_only: false,
  channel_rule: false,
}

/** A new table: its name, its owner and its fields. */
export function NewTablePage() {
  const t = useTexts()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const account = useQuery(me)
  const [draft, setDraft] = useState(emptyDraft)
  const [owner, setOwner] = useState<ChosenOwner>()
  const [isTried, setIsTried] = useState(false)
  const change = (changed: Partial<Draft>) => setDraft((before) => ({ ...before, ...changed }))
  const create = useMutation({
    mutationFn: (of: ChosenOwner) =>
      api.call(allRoutes.createTable, { body: { ...draft, ...of, fields: fieldsOfDrafts(draft.fields) } }),
    onSuccess: async ({ id }) => {
      await readTablesAgain(queries)
      await navigate({ to: '/tables/$id/rows', params: { id } })
    },
  })
  useTrail([{ text: t.tables.title, to: '/tables' }])
  if (account.data && !account.data.can.upload_environment) return <NotFoundPage />
  const isNamed = draft.name.trim() !== ''
  function send(): void {
    setIsTried(true)
    if (isNamed && areFieldsComplete(draft.fields, []) && owner !== undefined && !create.isPending)
      create.mutate(owner)
  }
  return (
    <Page title={t.tables.create}>
      <Panel query={account}>
        {(person) => (
          <Form className={styles.form} onSubmit={send}>
            <NameFields value={draft} isTried={isTried} onChange={change} />
            <OwnerSelect person={person} value={owner} onValue={setOwner} />
            <FieldRows drafts={draft.fields} isTried={isTried} onChange={(fields) => change({ fields })} />
            <FlagBoxes flags={draft} canChangeRule onChange={change} />
            {create.error && <ErrorBox error={create.error} />}
            <SubmitButton isBusy={create.isPending}>{t.tables.create}</SubmitButton>
          </Form>
        )}
      </Panel>
    </Page>
  )
}
