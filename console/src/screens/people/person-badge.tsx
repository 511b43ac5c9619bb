import type { User } from '@sandbox-jobs/contract/resources/companies/user.ts'
import { Badge } from '../../parts/badge.tsx'
import { useTexts } from '../../texts/texts.tsx'

/** Whether the person may sign in. */
export function PersonBadge({ person }: { person: Pick<User, 'disabled_at'> }) {
  const t = useTexts()
  return person.disabled_at === null ? (
    <Badge tone="success" icon="done">
      {t.states.active}
    </Badge>
  ) : (
    <Badge tone="soft" icon="cancelled">
      {t.people.disabled}
    </Badge>
  )
}
