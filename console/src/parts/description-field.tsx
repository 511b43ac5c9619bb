import { descriptionMaxLength } from '@sandbox-jobs/contract/limits.ts'
import { useTexts } from '../texts/texts.tsx'
import { Field } from './field.tsx'

interface Props {
  value: string
  onValue: (description: string) => void
  maxLength?: number
}

/** The description of a thing. Tables, tasks and environments have the same bound. */
export function DescriptionField({ value, onValue, maxLength = descriptionMaxLength }: Props) {
  const t = useTexts().environments
  return (
    <Field label={t.description}>
      {(tied) => (
        <input
          {...tied}
          maxLength={maxLength}
          value={value}
          onChange={(event) => onValue(event.target.value)}
        />
      )}
    </Field>
  )
}
