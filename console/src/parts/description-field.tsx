import { descriptionMaxLength } from '@sandbox-jobs/contract/limits.ts'
import { useTexts } from '../texts/texts.tsx'
import { Field } from './field.tsx'

interface Props {
  value: string
  onValue: (description: string) => void
}

/** The description of a table, a task or an environment. */
export function DescriptionField({ value, onValue }: Props) {
  const t = useTexts().environments
  return (
    <Field label={t.description}>
      {(tied) => (
        <input
          {...tied}
          maxLength={descriptionMaxLength}
          value={value}
          onChange={(event) => onValue(event.target.value)}
        />
      )}
    </Field>
  )
}
