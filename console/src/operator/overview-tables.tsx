import type { OperatorState } from '@sandbox-jobs/contract/operator/operator-state.ts'
import type { ReactNode } from 'react'
import { IdText } from '../parts/id-text.tsx'
import { StateBadge } from '../parts/state-badge.tsx'
import table from '../parts/table.module.css'
import { TenantText } from '../parts/tenant-text.tsx'
import { useFormats } from '../texts/texts.tsx'
import styles from './overview.module.css'
import { useOperatorTexts } from './texts/operator-texts.tsx'

interface Column<Row> {
  name: string
  show: (row: Row) => ReactNode
  /** Left out on a phone. */
  isWide?: boolean
}

interface TableProps<Row> {
  title: string
  /** Why there are no rows. */
  none: string
  rows: readonly Row[]
  keyOf: (row: Row) => string
  columns: readonly Column<Row>[]
}

function Table<Row>({ title, none, rows, keyOf, columns }: TableProps<Row>) {
  const of = ({ isWide }: Column<Row>) => (isWide ? styles.wide : undefined)
  return (
    <section className={styles.part}>
      <h2>{title}</h2>
      {rows.length === 0 ? (
        <p>{none}</p>
      ) : (
        <table className={table.table}>
          <thead>
            <tr>
              {columns.map((column) => (
                <th key={column.name} scope="col" className={of(column)}>
                  {column.name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={keyOf(row)}>
                {columns.map((column) => (
                  <td key={column.name} className={of(column)}>
                    {column.show(row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}

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
        { name: t.company, show: ({ name }) => <TenantText text={name} /> },
        { name: t.runs, show: ({ runs_active }) => number(runs_active) },
        { name: t.queued, show: ({ runs_queued }) => number(runs_queued) },
        { name: t.oldestRun, show: ({ oldest_queued_run }) => age(oldest_queued_run), isWide: true },
        { name: t.builds, show: ({ builds_active }) => number(builds_active), isWide: true },
        { name: t.queuedBuilds, show: ({ builds_queued }) => number(builds_queued), isWide: true },
      ]}
    />
  )
}

export function RunTable({ runs }: Pick<OperatorState, 'runs'>) {
  const t = useOperatorTexts().overview
  const { duration } = useFormats()
  return (
    <Table
      title={t.running}
      none={t.noRuns}
      rows={runs}
      keyOf={({ id }) => id}
      columns={[
        { name: t.state, show: ({ state }) => <StateBadge machine="run" state={state} /> },
        { name: t.company, show: ({ company }) => <TenantText text={company} /> },
        { name: t.run, show: ({ id }) => <IdText id={id} />, isWide: true },
        { name: t.profile, show: ({ profile }) => profile, isWide: true },
        { name: t.since, show: ({ seconds }) => duration(seconds * 1000) },
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
        { name: t.company, show: ({ name }) => <TenantText text={name} /> },
        { name: t.kept, show: ({ kept_bytes }) => bytes(kept_bytes) },
        { name: t.limit, show: ({ limit_bytes }) => (limit_bytes === null ? t.noLimit : bytes(limit_bytes)) },
      ]}
    />
  )
}
