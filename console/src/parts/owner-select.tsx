import { plainText } from '@sandbox-jobs/contract/plain-text.ts'
import type { OwnAccount } from '@sandbox-jobs/contract/resources/access/own-account.ts'
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { type ChosenOwner, ownDepartments, ownersOf } from '../data/person/owners.ts'
import { useTexts } from '../texts/texts.tsx'
import { Field } from './field.tsx'
import { Panel } from './panel.tsx'

interface Props {
  person: OwnAccount
  value: ChosenOwner | undefined
  onValue: (owner: ChosenOwner | undefined) => void
}

/** The owner of a new thing: the company or a department, as far as the person manages it. */
export function OwnerSelect({ person, value, onValue }: Props) {
  const t = useTexts()
  const departments = useQuery(ownDepartments)
  const owners = departments.data && ownersOf(person, departments.data)
  const [first] = owners ?? []
  useEffect(() => {
    if (value === undefined && first !== undefined) onValue(first.owner)
  }, [value, first, onValue])
  return (
    <Panel query={departments} rows={1}>
      {() => (
        <Field label={t.owners.label}>
          {(tied) => (
            <select
              {...tied}
              value={value?.owner_id}
              onChange={(event) =>
                onValue(owners?.find(({ owner }) => owner.owner_id === event.target.value)?.owner)
              }
            >
              {owners?.map(({ owner, name }) => (
                <option key={owner.owner_id} value={owner.owner_id}>
                  {owner.owner_scope === 'company' ? t.owners.company(plainText(name)) : plainText(name)}
                </option>
              ))}
            </select>
          )}
        </Field>
      )}
    </Panel>
  )
}
