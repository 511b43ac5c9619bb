import type { InboxItem } from '@sandbox-jobs/contract/resources/notifications/inbox.ts'
import { Link } from '@tanstack/react-router'
import { screenOf } from '../../data/screen-of.ts'
import cards from '../../parts/card.module.css'
import { Moment } from '../../parts/moment.tsx'
import { TenantText } from '../../parts/tenant-text.tsx'
import type { Texts } from '../../texts/en.ts'
import { useTexts } from '../../texts/texts.tsx'
import { TimeLeft } from './time-left.tsx'

/** One decision that waits, and the way to where it is made. */
export function InboxCard({ item }: { item: InboxItem }) {
  const t = useTexts()
  const screen = screenOf(item.path)
  const title = t.inbox.kinds[item.kind]
  return (
    <li className={cards.card}>
      {screen === undefined ? (
        <span>{title}</span>
      ) : (
        <Link to={screen} className={cards.link}>
          {title}
        </Link>
      )}
      <p className={cards.lines}>
        <TenantText text={detailOf(item, t.inbox)} />
      </p>
      <p className={cards.tags}>
        {'chatroom_name' in item && <TenantText text={item.chatroom_name} />}
        <Moment at={item.since} />
        {item.kind === 'proposal' && <TimeLeft until={item.proposal.expires_at} />}
      </p>
    </li>
  )
}

/** The thing that the decision is about. */
function detailOf(item: InboxItem, t: Texts['inbox']): string {
  switch (item.kind) {
    case 'proposal':
      return item.proposal.summary
    case 'secret_missing':
      return t.ofTask(item.task_name, item.slot_name)
    case 'secret_approval':
      return t.ofTask(item.task_name, item.slot_names.join(', '))
    case 'version_update':
      return t.ofVersions(item.task_name, item.version_number, item.newest_version_number)
    case 'webhook_paused':
      return item.url
  }
}
