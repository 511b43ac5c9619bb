import type { UsageItem, UsageReport } from '@sandbox-jobs/contract/resources/companies/usage-report.ts'
import { useQuery } from '@tanstack/react-query'
import { usageReport } from '../../data/company/usage.ts'
import { Panel } from '../../parts/panel.tsx'
import table from '../../parts/table.module.css'
import { TenantText } from '../../parts/tenant-text.tsx'
import { useFormats, useTexts } from '../../texts/texts.tsx'
import styles from '../company/company.module.css'
import type { Dimension, UsageFilters } from './usage-filters.ts'
import { subjectOf } from './usage-series.ts'

const shownMax = 200

/** The sums of the days, the most expensive first. */
export function UsageTable({ filters: { by = 'task', ...days } }: { filters: UsageFilters }) {
  const t = useTexts()
  const report = useQuery(usageReport({ by: [by], ...days }))
  return (
    <section className={styles.part}>
      <h2>{t.usage.sums}</h2>
      <Panel query={report} rows={4} empty={({ items }) => items.length === 0 && t.usage.none}>
        {(shown) => <Sums report={shown} by={by} />}
      </Panel>
    </section>
  )
}

function Sums({ report, by }: { report: UsageReport; by: Dimension }) {
  const t = useTexts()
  const sorted = report.items.toSorted(
    (some, other) => Number(other.cost) - Number(some.cost) || other.seconds - some.seconds,
  )
  return (
    <>
      <table className={table.table}>
        <thead>
          <tr>
            <th scope="col">{t.usage.dimensions[by]}</th>
            <th scope="col" className={styles.wide}>
              {t.usage.kind}
            </th>
            <th scope="col">{t.usage.count}</th>
            <th scope="col">{t.usage.time}</th>
            <th scope="col" className={styles.wide}>
              {t.usage.traffic}
            </th>
            <th scope="col">{t.usage.cost}</th>
          </tr>
        </thead>
        <tbody>
          {sorted.slice(0, shownMax).map((item) => (
            <Line
              key={`${item.kind} ${item.principal_type} ${subjectOf(item, by).id}`}
              item={item}
              by={by}
              currency={report.currency}
            />
          ))}
        </tbody>
      </table>
      {sorted.length > shownMax && (
        <p className={styles.help}>{t.usage.restInFile(sorted.length - shownMax)}</p>
      )}
    </>
  )
}

function Line({ item, by, currency }: { item: UsageItem; by: Dimension; currency: string }) {
  const t = useTexts()
  const formats = useFormats()
  const { id, name } = subjectOf(item, by)
  return (
    <tr>
      <td>{id === '' ? t.usage.nobody[by] : <TenantText text={name ?? id} />}</td>
      <td className={styles.wide}>{t.usage.kinds[item.kind]}</td>
      <td className={table.number}>{formats.number(item.count)}</td>
      <td className={table.number}>{formats.duration(item.seconds * 1000)}</td>
      <td className={`${styles.wide} ${table.number}`}>
        {formats.bytes(item.ingress_bytes + item.egress_bytes)}
      </td>
      <td className={table.number}>{formats.money(item.cost, currency)}</td>
    </tr>
  )
}
