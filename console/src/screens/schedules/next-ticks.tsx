import { DateTime } from '../../parts/date-time.tsx'
import rows from '../../parts/row-list.module.css'
import { useTexts } from '../../texts/texts.tsx'

/** The times at which a schedule starts its next runs. */
export function NextTicks({ times }: { times: readonly string[] }) {
  const t = useTexts().schedules
  return (
    <ul className={rows.detail} aria-label={t.next}>
      {times.map((at) => (
        <li key={at}>
          <DateTime at={at} />
        </li>
      ))}
    </ul>
  )
}
