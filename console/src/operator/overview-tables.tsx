import type { OperatorState } from '@sandbox-jobs/contract/operator/operator-state.ts'
import { useFormats } from '../texts/texts.tsx'
import { CompanyLink } from './company-link.tsx'
import { Table } from './operator-table.tsx'
import { useOperatorTexts } from './texts/operator-texts.tsx'

export function CompanyTable({ companies }: Pick<OperatorState, 'companies'>) {
  const t = useOperatorTexts().overview
  const { number, duration } = useFormats()
  const age = (seconds: number) => (seconds === 0 ? '' : duration(seconds * 1000))
  return (
    <Table
      title={t.companies}
      none={t.noWork}
      rows={companies}
      keyOf={({ company_id }) => company_id}
      columns={[
        { name: t.company, show: ({ company_id, name }) => <CompanyLink id={company_id} name={name} /> },
        { name: t.runs, show: ({ runs_active }) => number(runs_active) },
        { name: t.queued, show: ({ runs_queued }) => number(runs_queued) },
        { name: t.oldestRun, show: ({ oldest_queued_run }) => age(oldest_queued_run), isWide: true },
        { name: t.builds, show: ({ builds_active }) => number(builds_active), isWide: true },
        { name: t.queuedBuilds, show: ({ builds_queued }) => number(builds_queued), isWide: true },
      ]}
    />
  )
}

export function StorageTable({ storage }: Pick<OperatorState, 'storage'>) {
  const t = useOperatorTexts().overview
  const { bytes } = useFormats()
  return (
    <Table
      title={t.storage}
      none={t.noStorage}
      rows={storage}
      keyOf={({ company_id }) => company_id}
      columns={[
        { name: t.company, show: ({ company_id, name }) => <CompanyLink id={company_id} name={name} /> },
        { name: t.kept, show: ({ kept_bytes }) => bytes(kept_bytes) },
        { name: t.limit, show: ({ limit_bytes }) => (limit_bytes === null ? t.noLimit : bytes(limit_bytes)) },
      ]}
    />
  )
}
