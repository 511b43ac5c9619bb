import type { Webhook } from '@sandbox-jobs/contract/resources/notifications/webhook.ts'
import { Badge } from '../../parts/badge.tsx'
import { useTexts } from '../../texts/texts.tsx'

/** Whether events are posted, and why not. */
export function WebhookBadge({ webhook: { paused_because, failing_since } }: { webhook: Webhook }) {
  const t = useTexts()
  if (paused_because !== null) {
    return (
      <Badge tone={paused_because === 'manager' ? 'soft' : 'danger'} icon="stopping">
        {t.webhooks.paused[paused_because]}
      </Badge>
    )
  }
  return failing_since === null ? (
    <Badge tone="success" icon="done">
      {t.states.active}
    </Badge>
  ) : (
    <Badge tone="warning" icon="warning">
      {t.webhooks.failing}
    </Badge>
  )
}
