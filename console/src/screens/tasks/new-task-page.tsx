import { nameMaxLength } from '@sandbox-jobs/contract/limits.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTrail } from '../../app/trail.ts'
import { api } from '../../data/api/api.ts'
import { readTasksAgain } from '../../data/authoring/tasks.ts'
import { useIntentKey } from '../../data/intent-key.ts'
import { me } from '../../data/person/me.ts'
import type { ChosenOwner } from '../../data/person/owners.ts'
import { DescriptionField } from '../../parts/description-field.tsx'
import { ErrorBox } from '../../parts/error-box.tsx'
import { Field } from '../../parts/field.tsx'
import { Form } from '../../parts/form.tsx'
import { OwnerSelect } from '../../parts/owner-select.tsx'
import { Page } from '../../parts/page.tsx'
import { Panel } from '../../parts/panel.tsx'
import { SubmitButton } from '../../parts/submit-button.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { NotFoundPage } from '../not-found/not-found-page.tsx'
import styles from './tasks.module.css'

/** A new task: its name and its owner. Its first draft comes next. */
export function NewTaskPage() {
  const t = useTexts()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const account = useQuery(me)
  const [name, setName] = useState('')
  const [description, setDescription] = useState('')
  const [owner, setOwner] = useState<ChosenOwner>()
  const [isTried, setIsTried] = useState(false)
  const keyOf = useIntentKey()
  const create = useMutation({
    mutationFn: (of: ChosenOwner) => {
      const body = { name, description, ...of }
      return api.call(allRoutes.createTask, { body, idempotencyKey: keyOf(body) })
    },
    onSuccess: async ({ id }) => {
      await readTasksAgain(queries)
      await navigate({ to: '/tasks/$id/new', params: { id } })
    },
  })
  useTrail([{ text: t.tasks.title, to: '/tasks' }])
  const { create_company_task: ofCompany, create_department_task: ofDepartment } = account.data?.can ?? {}
  if (account.data && !ofCompany && !ofDepartment) return <NotFoundPage />
  const isNamed = name.trim() !== ''
  function send(): void {
    setIsTried(true)
    if (isNamed && owner !== undefined && !create.isPending) create.mutate(owner)
  }
  return (
    <Page title={t.tasks.create}>
      <Panel query={account}>
        {(person) => (
          <Form className={styles.form} onSubmit={send}>
            <Field label={t.environments.name} error={isTried && !isNamed ? t.tasks.noName : undefined}>
              {(tied) => (
                <input
                  {...tied}
                  maxLength={nameMaxLength}
                  value={name}
                  onChange={(event) => setName(event.target.value)}
                />
              )}
            </Field>
            <DescriptionField value={description} onValue={setDescription} />
            <OwnerSelect person={person} value={owner} onValue={setOwner} />
            {create.error && <ErrorBox error={create.error} />}
            <SubmitButton isBusy={create.isPending}>{t.tasks.create}</SubmitButton>
          </Form>
        )}
      </Panel>
    </Page>
  )
}
