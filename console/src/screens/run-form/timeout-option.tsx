import { timeoutMaxSeconds } from '@sandbox-jobs/contract/limits.ts'
import { Field } from '../../parts/field.tsx'
import { useTexts } from '../../texts/texts.tsx'
import styles from './run-form.module.css'

/** Whether a run may have it: empty is that of the version. */
export const isTimeout = (text: string): boolean =>
  text === '' || (Number(text) >= 1 && Number(text) <= timeoutMaxSeconds)

interface Props {
  value: string
  /** Seconds of the version. */
  version: number
  onValue: (text: string) => void
}

/** The time after which the run is stopped, which most people leave to the version. */
export function TimeoutOption({ value, version, onValue }: Props) {
  const t = useTexts()
  return (
    <details>
      <summary>{t.form.moreOptions}</summary>
      <div className={styles.options}>
        <Field
          label={t.form.timeout}
          help={t.form.timeoutHelp(version)}
          error={isTimeout(value) ? undefined : t.form.timeoutRange(timeoutMaxSeconds)}
        >
          {(tied) => (
            <input
              {...tied}
              inputMode="numeric"
              value={value}
              onChange={(event) => onValue(event.target.value.replaceAll(/\D/g, ''))}
            />
          )}
        </Field>
      </div>
    </details>
  )
}
