import type { Severity } from '@sandbox-jobs/contract/severities.ts'
import type { Tone } from '../../design/states.ts'
import { Badge } from '../../parts/badge.tsx'
import { useTexts } from '../../texts/texts.tsx'

export const severityTones: Readonly<Record<Severity, Tone>> = {
  critical: 'danger',
  high: 'danger',
  medium: 'warning',
  low: 'soft',
  unknown: 'soft',
}

/** How severe a finding is, as a word in its colour. */
export function SeverityBadge({ severity }: { severity: Severity }) {
  const t = useTexts()
  return <Badge tone={severityTones[severity]}>{t.scans.severities[severity]}</Badge>
}
