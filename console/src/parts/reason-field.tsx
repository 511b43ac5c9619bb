import { reasonMaxLength } from '@sandbox-jobs/contract/limits.ts'
import { useTexts } from '../texts/texts.tsx'
import { Field } from './field.tsx'

interface Props {
  value: string
  /** Why there is no reason yet. */
  error: string | undefined
  onValue: (text: string) => void
}

/** Why a person does something, which is kept. */
export function ReasonField({ value, error, onValue }: Props) {
  const t = useTexts()
  return (
    <Field label={t.reason} error={error}>
      {(tied) => (
        <textarea
          {...tied}
          rows={3}
          maxLength={reasonMaxLength}
          value={value}
          onChange={(event) => onValue(event.target.value)}
        />
      )}
    </Field>
  )
}
