import type { User } from '@sandbox-jobs/contract/resources/companies/user.ts'
import { useState } from 'react'
import { personLabel } from '../../data/company/directory.ts'
import { Button } from '../../parts/button.tsx'
import { Field } from '../../parts/field.tsx'
import { useTexts } from '../../texts/texts.tsx'
import styles from './company.module.css'

interface Props {
  label: string
  people: readonly User[]
  isBusy: boolean
  onAdd: (person: User) => void
}

/** Adds one of these people. */
export function AddPerson({ label, people, isBusy, onAdd }: Props) {
  const t = useTexts()
  const [id, setId] = useState('')
  const chosen = people.find((person) => person.id === id)
  if (people.length === 0) return null
  return (
    <div className={styles.add}>
      <Field label={label}>
        {(tied) => (
          <select {...tied} value={chosen?.id ?? ''} onChange={(event) => setId(event.target.value)}>
            <option value="">{t.company.choose}</option>
            {people.map((person) => (
              <option key={person.id} value={person.id}>
                {personLabel(person)}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Button
        icon="plus"
        isBusy={isBusy}
        disabledWhy={chosen ? undefined : t.company.chooseFirst}
        onPress={() => chosen && onAdd(chosen)}
      >
        {t.company.add}
      </Button>
    </div>
  )
}
