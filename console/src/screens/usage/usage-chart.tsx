import type { UsageReport } from '@sandbox-jobs/contract/resources/companies/usage-report.ts'
import { useQuery } from '@tanstack/react-query'
import { usageReport } from '../../data/company/usage.ts'
import { Panel } from '../../parts/panel.tsx'
import { StackedBars } from '../../parts/stacked-bars.tsx'
import { useFormats, useTexts } from '../../texts/texts.tsx'
import styles from '../company/company.module.css'
import type { Dimension, UsageFilters } from './usage-filters.ts'
import { daysBetween, measureOf, seriesOf } from './usage-series.ts'

/** Cost by day, or time where nothing has a price. */
export function UsageChart({ filters: { by = 'task', ...days } }: { filters: UsageFilters }) {
  const t = useTexts()
  const report = useQuery(usageReport({ by: ['day', by], ...days }))
  return (
    <section className={styles.part}>
      <h2>{t.usage.byDay}</h2>
      <Panel query={report} rows={4} empty={({ items }) => items.length === 0 && t.usage.none}>
        {(shown) => <Chart report={shown} by={by} />}
      </Panel>
    </section>
  )
}

function Chart({ report, by }: { report: UsageReport; by: Dimension }) {
  const t = useTexts()
  const formats = useFormats()
  const days = daysBetween(report.from, report.to)
  const measure = measureOf(report.items)
  const series = seriesOf(report.items, { by, days, measure }).map((each) => ({
    ...each,
    name: each.name === null ? t.usage.others : each.name === '' ? t.usage.nobody[by] : each.name,
  }))
  const format = (value: number) =>
    measure === 'cost' ? formats.money(String(value), report.currency) : formats.duration(value * 1000)
  return (
    <>
      {report.truncated && <p className={styles.help}>{t.usage.truncated}</p>}
      <StackedBars
        label={t.usage.chart[measure](formats.day(report.from), formats.day(report.to))}
        bars={days.map(formats.day)}
        series={series}
        format={format}
      />
    </>
  )
}
