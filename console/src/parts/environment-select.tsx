import { plainText } from '@sandbox-jobs/contract/plain-text.ts'
import { useQuery } from '@tanstack/react-query'
import { usableEnvironments } from '../data/authoring/environments.ts'
import { useTexts } from '../texts/texts.tsx'
import { Field } from './field.tsx'
import { Panel } from './panel.tsx'

interface Props {
  /** Empty: none is chosen. */
  value: string
  /** The name of a value that is the newest of no environment. */
  name?: string | undefined
  error: string | undefined
  onValue: (version: string) => void
}

/** The newest version of each environment, and the one that is chosen already. */
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
