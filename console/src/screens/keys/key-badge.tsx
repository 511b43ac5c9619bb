import type { ApiKey } from '@sandbox-jobs/contract/resources/access/api-key.ts'
import { keyStateOf } from '../../data/company/api-keys.ts'
import { Badge } from '../../parts/badge.tsx'
import { useNow } from '../../parts/now.ts'
import { useTexts } from '../../texts/texts.tsx'

const looks = {
  active: { tone: 'success', icon: 'done' },
  expired: { tone: 'soft', icon: 'clock' },
  revoked: { tone: 'soft', icon: 'cancelled' },
} as const
const stepMs = 60_000

/** Whether the key works. */
export function KeyBadge({ apiKey }: { apiKey: ApiKey }) {
  const t = useTexts()
  const state = keyStateOf(apiKey, useNow(stepMs))
  return <Badge {...looks[state]}>{t.states[state]}</Badge>
}
