import type { MenuItem } from '@sandbox-jobs/contract/resources/tasks/menu.ts'
import { Link } from '@tanstack/react-router'
import cards from '../../parts/card.module.css'
import { TenantText } from '../../parts/tenant-text.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { missingSecrets } from './missing-secrets.ts'
import styles from './rooms.module.css'
import { StoreSecret } from './store-secret.tsx'

/** A job of a room. One that cannot run says why, and is no link into a form that leads nowhere. */
export function JobCard({ cid, item }: { cid: string; item: MenuItem }) {
  const t = useTexts()
  const missing = missingSecrets(item)
  const name = <TenantText text={item.task_name} />
  const tags = [
    item.secret_slots.length > 0 && t.room.needsSecret,
    item.requires_confirmation && t.room.asksFirst,
    item.update_available && t.room.newerVersion,
  ].filter((tag) => tag !== false)
  return (
    <li className={cards.card}>
      {missing.length > 0 ? (
        <span>{name}</span>
      ) : (
        <Link to="/chatrooms/$cid/run/$taskId" params={{ cid, taskId: item.task_id }} className={cards.link}>
          {name}
        </Link>
      )}
      {item.task_description !== '' && (
        <p className={cards.lines}>
          <TenantText text={item.task_description} />
        </p>
      )}
      {tags.length > 0 && <p className={cards.tags}>{tags.join(' · ')}</p>}
      {missing.length > 0 && (
        <p className={styles.blocked}>
          {t.room.missingSecret(missing.join(', '))} <StoreSecret cid={cid} />
        </p>
      )}
    </li>
  )
}
