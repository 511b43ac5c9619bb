import type { ScanFinding } from '@sandbox-jobs/contract/resources/builds/security-finding.ts'
import { TextGrid } from '../../parts/text-grid.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { SeverityBadge } from './severity-badge.tsx'

/** Findings of a scan. */
export function FindingGrid({ label, findings }: { label: string; findings: readonly ScanFinding[] }) {
  const t = useTexts().scans
  return (
    <TextGrid
      label={label}
      rows={findings}
      columns={[
        {
          name: t.severity,
          text: ({ severity }) => t.severities[severity],
          cell: ({ severity }) => <SeverityBadge severity={severity} />,
        },
        { name: t.rule, text: ({ rule }) => rule },
        { name: t.subject, text: ({ subject }) => subject },
        { name: t.installed, text: ({ installed_version }) => installed_version },
        { name: t.fixed, text: ({ fixed_version }) => fixed_version },
        { name: t.about, text: ({ title }) => title },
      ]}
    />
  )
}
