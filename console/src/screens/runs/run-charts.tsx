import type { RunStatistics } from '@sandbox-jobs/contract/resources/runs/run-statistics.ts'
import { useQuery } from '@tanstack/react-query'
import { statisticsOf } from '../../data/runs/runs.ts'
import { useNow } from '../../parts/now.ts'
import { Panel } from '../../parts/panel.tsx'
import { StackedBars } from '../../parts/stacked-bars.tsx'
import { useFormats, useTexts } from '../../texts/texts.tsx'
import { type Filters, queryOfFilters } from './filters.ts'
import { chartedRuns, dayOf, periodOf, type Spread } from './run-chart.ts'
import styles from './runs.module.css'

const minuteMs = 60_000

interface Props {
  filters: Filters
  /** A day was pressed. */
  onDay: (day: string) => void
}

/** The runs that match by state, and how long they waited and took, over the days of the filters or the last two weeks. */
export function RunCharts({ filters, onDay }: Props) {
  const { from, to, bucket } = periodOf(filters, new Date(useNow(minuteMs)))
  const query = queryOfFilters({ ...filters, from, to })
  const statistics = useQuery(statisticsOf({ ...query, bucket }))
  return (
    <Panel query={statistics} rows={5}>
      {(shown) => <Charts statistics={shown} until={query.queued_before ?? shown.from} onDay={onDay} />}
    </Panel>
  )
}

function Charts({
  statistics,
  until,
  onDay,
}: {
  statistics: RunStatistics
  until: string
  onDay: Props['onDay']
}) {
  const t = useTexts()
  const formats = useFormats()
  const { bars, states, waits, durations } = chartedRuns(statistics, new Date(until))
  if (states.length === 0) return null
  const isDaily = statistics.bucket === 'day'
  const names = bars.map((bar) => (isDaily ? formats.day(dayOf(bar)) : formats.dateTime(bar)))
  const [first = '', last = first] = [names[0], names.at(-1)]
  return (
    <div className={styles.charts}>
      <section>
        <h2>{t.runs.byState}</h2>
        <StackedBars
          label={t.runs.chart.states(first, last)}
          bars={names}
          series={states.map(({ id, word, tone, values }) => ({
            ...{ id, tone, values },
            name: word === 'open' ? t.runs.open : t.states[word],
          }))}
          format={formats.number}
          {...(isDaily && { onBar: (at: number) => bars[at] && onDay(dayOf(bars[at])) })}
        />
        {statistics.truncated && <p>{t.runs.chart.truncated}</p>}
      </section>
      <Times title={t.runs.took} label={t.runs.chart.durations(first, last)} bars={names} times={durations} />
      <Times title={t.runs.waited} label={t.runs.chart.waits(first, last)} bars={names} times={waits} />
    </div>
  )
}

interface TimesProps {
  title: string
  label: string
  bars: string[]
  times: Spread
}

function Times({ title, label, bars, times: { p50, p95 } }: TimesProps) {
  const t = useTexts()
  const formats = useFormats()
  return (
    <section>
      <h2>{title}</h2>
      <StackedBars
        label={label}
        bars={bars}
        series={[
          { id: 'p50', name: t.runs.half, tone: 'accent', values: p50 },
          { id: 'p95', name: t.runs.most, tone: 'soft', values: p95.map((ms, at) => ms - (p50[at] ?? 0)) },
        ]}
        format={formats.duration}
      />
    </section>
  )
}
