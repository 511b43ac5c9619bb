import { nameMaxLength } from '@sandbox-jobs/contract/limits.ts'
import type { User } from '@sandbox-jobs/contract/resources/companies/user.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../data/api/api.ts'
import { readDirectoryAgain } from '../../data/company/directory.ts'
import { ErrorBox } from '../../parts/error-box.tsx'
import { Field } from '../../parts/field.tsx'
import { Form } from '../../parts/form.tsx'
import { SubmitButton } from '../../parts/submit-button.tsx'
import { useTexts } from '../../texts/texts.tsx'
import styles from '../company/company.module.css'
import { changeOf, type RoleChoice } from './person-change.ts'
import { RoleFields } from './role-fields.tsx'

/** Changes name, role and departments of a person. Only what differs is sent. */
export function PersonForm({ person }: { person: User }) {
  const t = useTexts()
  const queries = useQueryClient()
  const [name, setName] = useState(person.display_name)
  const [choice, setChoice] = useState<RoleChoice>({
    role: person.role,
    managed: person.managed_department_ids,
  })
  const change = changeOf(person, name, choice)
  const save = useMutation({
    mutationFn: async () => {
      if (change !== undefined) {
        await api.call(allRoutes.updateUser, { params: { id: person.id }, body: change })
      }
    },
    onSuccess: () => readDirectoryAgain(queries),
  })
  const isNamed = name.trim() !== ''
  return (
    <Form
      className={styles.form}
      onSubmit={() => {
        if (isNamed && !save.isPending) save.mutate()
      }}
    >
      <Field label={t.people.name} error={isNamed ? undefined : t.company.noName}>
        {(tied) => (
          <input
            {...tied}
            maxLength={nameMaxLength}
            autoComplete="off"
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <RoleFields value={choice} onValue={setChoice} />
      {save.error && <ErrorBox error={save.error} />}
      {save.isSuccess && change === undefined && <p role="status">{t.company.saved}</p>}
      <SubmitButton isBusy={save.isPending}>{t.company.save}</SubmitButton>
    </Form>
  )
}
