import type { WebhookWithSecret } from '@sandbox-jobs/contract/resources/notifications/webhook.ts'
import { useTexts } from '../../texts/texts.tsx'
import { ShownOnce } from '../company/shown-once.tsx'

/** The secret with which the receiver verifies posts. */
export function SigningSecret({ made }: { made: WebhookWithSecret }) {
  const t = useTexts()
  return <ShownOnce why={t.webhooks.secretWhy} label={t.webhooks.secret} value={made.secret} />
}
