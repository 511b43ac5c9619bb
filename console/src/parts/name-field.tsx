import { nameMaxLength } from '@sandbox-jobs/contract/limits.ts'
import { useTexts } from '../texts/texts.tsx'
import { Field } from './field.tsx'

interface Props {
  value: string
  /** Whether a missing name is an error by now. */
  isTried: boolean
  onValue: (name: string) => void
}

/** The name of a thing, which it has to have. */
export function NameField({ value, isTried, onValue }: Props) {
  const t = useTexts().company
  return (
    <Field label={t.name} error={isTried && value.trim() === '' ? t.noName : undefined}>
      {(tied) => (
        <input
          {...tied}
          maxLength={nameMaxLength}
          autoComplete="off"
          value={value}
          onChange={(event) => onValue(event.target.value)}
        />
      )}
    </Field>
  )
}
