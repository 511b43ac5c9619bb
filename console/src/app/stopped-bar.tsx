import { useQuery } from '@tanstack/react-query'
import { me } from '../data/person/me.ts'
import { Icon } from '../design/icon.tsx'
import { useTexts } from '../texts/texts.tsx'
import styles from './bar.module.css'

/** Says that the operator has stopped all changes. */
export function StoppedBar() {
  const t = useTexts()
  const { data } = useQuery(me)
  if (data === undefined || data.sandbox_enabled) return null
  return (
    <div className={styles.bar} data-tone="danger" role="status">
      <Icon name="warning" />
      {t.stopped}
    </div>
  )
}
