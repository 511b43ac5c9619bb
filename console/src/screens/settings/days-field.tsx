import { Field } from '../../parts/field.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { daysOf } from './settings-draft.ts'

interface Props {
  label: string
  help: string
  max: number
  value: string
  /** The value that somebody else has stored meanwhile. */
  stored: string | undefined
  onValue: (value: string) => void
}

/** A number of days. */
export function DaysField({ label, help, max, value, stored, onValue }: Props) {
  const t = useTexts()
  const isOther = stored !== undefined && stored !== value
  return (
    <Field
      label={label}
      help={isOther ? t.settings.storedNow(stored) : help}
      error={daysOf(value, max) === undefined ? t.settings.daysRange(max) : undefined}
    >
      {(tied) => (
        <input
          {...tied}
          inputMode="numeric"
          value={value}
          onChange={(event) => onValue(event.target.value)}
        />
      )}
    </Field>
  )
}
