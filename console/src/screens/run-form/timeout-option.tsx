import { timeoutMaxSeconds } from '@sandbox-jobs/contract/limits.ts'
import { isTimeout, TimeoutField } from '../../parts/timeout-field.tsx'
import { useTexts } from '../../texts/texts.tsx'
import styles from './run-form.module.css'

/** Whether a run may have it: empty is that of the version. */
export const isRunTimeout = (text: string): boolean => text === '' || isTimeout(text, timeoutMaxSeconds)

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
        <TimeoutField
          value={value}
          max={timeoutMaxSeconds}
          isOptional
          help={t.form.timeoutHelp(version)}
          onValue={onValue}
        />
      </div>
    </details>
  )
}
