import { nameMaxLength } from '@sandbox-jobs/contract/limits.ts'
import { DescriptionField } from '../../parts/description-field.tsx'
import { Field } from '../../parts/field.tsx'
import { useTexts } from '../../texts/texts.tsx'

interface Named {
  name: string
  description: string
}

interface Props {
  value: Named
  isTried: boolean
  onChange: (changed: Partial<Named>) => void
}

/** Name and description of a table, a command or a trigger. */
export function NameFields({ value: { name, description }, isTried, onChange }: Props) {
  const t = useTexts()
  return (
    <>
      <Field label={t.tables.name} error={isTried && name.trim() === '' ? t.company.noName : undefined}>
        {(tied) => (
          <input
            {...tied}
            maxLength={nameMaxLength}
            value={name}
            onChange={(event) => onChange({ name: event.target.value })}
          />
        )}
      </Field>
      <DescriptionField value={description} onValue={(changed) => onChange({ description: changed })} />
    </>
  )
}
