import { connection } from '../data/api/api.ts'
import { useStore } from '../data/store.ts'
import { Icon } from '../design/icon.tsx'
import { Button } from '../parts/button.tsx'
import { useNow } from '../parts/now.ts'
import { useTexts } from '../texts/texts.tsx'
import styles from './bar.module.css'

const secondMs = 1000

/** Says that the service does not answer, and when the page tries again. */
export function OfflineBar() {
  const state = useStore(connection.state)
  return state.isUp ? null : <Offline retryAt={state.retryAt} />
}

function Offline({ retryAt }: { retryAt: number }) {
  const t = useTexts()
  const now = useNow(secondMs)
  const seconds = Math.max(0, Math.ceil((retryAt - now) / secondMs))
  return (
    <div className={styles.bar} data-tone="warning" role="status">
      <Icon name="offline" />
      <span>{t.offline(seconds)}</span>
      <Button kind="quiet" onPress={connection.tryNow}>
        {t.tryNow}
      </Button>
    </div>
  )
}
