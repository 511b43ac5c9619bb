import { Field } from '../../parts/field.tsx'
import { useTexts } from '../../texts/texts.tsx'

interface Props {
  value: string
  error: string | undefined
  onValue: (value: string) => void
}

/** The input of the runs of a trigger, as JSON with placeholders. */
export function TemplateField({ value, error, onValue }: Props) {
  const t = useTexts().tables
  return (
    <Field label={t.template} help={t.templateHelp} error={error}>
      {(tied) => (
        <textarea
          {...tied}
          rows={8}
          spellCheck={false}
          dir="ltr"
          value={value}
          onChange={(event) => onValue(event.target.value)}
        />
      )}
    </Field>
  )
}
