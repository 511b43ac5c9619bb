import { nameMaxLength } from '@sandbox-jobs/contract/limits.ts'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTrail } from '../../app/trail.ts'
import { me } from '../../data/person/me.ts'
import type { ChosenOwner } from '../../data/person/owners.ts'
import { DescriptionField } from '../../parts/description-field.tsx'
import { Field } from '../../parts/field.tsx'
import { OwnerSelect } from '../../parts/owner-select.tsx'
import { Page } from '../../parts/page.tsx'
import { Panel } from '../../parts/panel.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { NotFoundPage } from '../not-found/not-found-page.tsx'
import { ArchiveForm } from './archive-form.tsx'

/** An environment, its first version and its build, in one go. */
export function NewEnvironmentPage() {
  const t = useTexts()
  const account = useQuery(me)
  const [name, setName] = useState('')
  const [description, setDescription] = useState('')
  const [owner, setOwner] = useState<ChosenOwner>()
  useTrail([{ text: t.environments.title, to: '/environments' }])
  if (account.data && !account.data.can.upload_environment) return <NotFoundPage />
  const canCreate = name.trim() !== '' && owner !== undefined
  return (
    <Page title={t.environments.create}>
      <Panel query={account}>
        {(person) => (
          <ArchiveForm environment={canCreate ? { create: { name, description, ...owner } } : undefined}>
            <Field label={t.environments.name}>
              {(tied) => (
                <input
                  {...tied}
                  required
                  maxLength={nameMaxLength}
                  value={name}
                  onChange={(event) => setName(event.target.value)}
                />
              )}
            </Field>
            <DescriptionField value={description} onValue={setDescription} />
            <OwnerSelect person={person} value={owner} onValue={setOwner} />
          </ArchiveForm>
        )}
      </Panel>
    </Page>
  )
}
