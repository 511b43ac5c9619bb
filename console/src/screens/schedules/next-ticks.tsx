import { DateTime } from '../../parts/date-time.tsx'
import { useTexts } from '../../texts/texts.tsx'
import styles from './schedules.module.css'

/** The times at which a schedule starts its next runs. */
export function NextTicks({ times }: { times: readonly string[] }) {
  const t = useTexts().schedules
  return (
    <ul className={styles.detail} aria-label={t.next}>
      {times.map((at) => (
        <li key={at}>
          <DateTime at={at} />
        </li>
      ))}
    </ul>
  )
}
