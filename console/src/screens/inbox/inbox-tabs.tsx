import { Link } from '@tanstack/react-router'
import { Tabs } from '../../parts/tabs.tsx'
import { useTexts } from '../../texts/texts.tsx'

export function InboxTabs() {
  const t = useTexts()
  return (
    <Tabs label={t.inbox.parts}>
      <Link to="/inbox/todo">{t.inbox.todo}</Link>
      <Link to="/inbox/notifications">{t.inbox.notifications}</Link>
    </Tabs>
  )
}
