import { useQuery } from '@tanstack/react-query'
import { inbox } from '../../data/person/inbox.ts'
import cards from '../../parts/card.module.css'
import { Page } from '../../parts/page.tsx'
import { Panel } from '../../parts/panel.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { InboxCard } from './inbox-card.tsx'
import { InboxTabs } from './inbox-tabs.tsx'

/** The decisions that wait for the person. */
export function TodoPage() {
  const t = useTexts()
  const waiting = useQuery(inbox)
  return (
    <Page title={t.inbox.title}>
      <InboxTabs />
      <Panel query={waiting} rows={2} empty={({ items }) => items.length === 0 && t.inbox.nothing}>
        {({ items, count, is_complete: isComplete }) => (
          <>
            <ul className={cards.grid}>
              {items.map((item) => (
                <InboxCard key={item.id} item={item} />
              ))}
            </ul>
            {count > items.length && <p>{t.inbox.more(count - items.length)}</p>}
            {!isComplete && <p>{t.inbox.incomplete}</p>}
          </>
        )}
      </Panel>
    </Page>
  )
}
