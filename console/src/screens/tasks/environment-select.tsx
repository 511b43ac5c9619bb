import { plainText } from '@sandbox-jobs/contract/plain-text.ts'
import { useQuery } from '@tanstack/react-query'
import { usableEnvironments } from '../../data/environments.ts'
import { Field } from '../../parts/field.tsx'
import { Panel } from '../../parts/panel.tsx'
import { useTexts } from '../../texts/texts.tsx'

interface Props {
  value: string
  name: string | undefined
  error: string | undefined
  onValue: (version: string) => void
}

/** The newest version of each environment, and the one that the draft has already. */
export function EnvironmentSelect({ value, name, error, onValue }: Props) {
  const t = useTexts()
  const environments = useQuery(usableEnvironments)
  return (
    <Panel query={environments} rows={1}>
      {(items) => (
        <Field label={t.tasks.environment} error={error}>
          {(tied) => (
            <select {...tied} value={value} onChange={(event) => onValue(event.target.value)}>
              <option value="">{t.tasks.chooseEnvironment}</option>
              {value !== '' && !items.some(({ version }) => version === value) && (
                <option value={value}>{t.tasks.sameVersion(plainText(name ?? ''))}</option>
              )}
              {items.map((item) => (
                <option key={item.version} value={item.version}>
                  {plainText(item.name)}
                </option>
              ))}
            </select>
          )}
        </Field>
      )}
    </Panel>
  )
}
