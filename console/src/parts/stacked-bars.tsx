import type { Tone } from '../design/states.ts'
import styles from './stacked-bars.module.css'
import { TenantText } from './tenant-text.tsx'

interface Props {
  /** A sentence with the same content, for who does not see it. */
  label: string
  /** One bar each, with the words for it. */
  bars: readonly string[]
  /** At most five. */
  series: readonly { id: string; name: string; values: readonly number[]; tone?: Tone }[]
  format: (value: number) => string
  /** A bar was pressed. Fields beside the chart do the same. */
  onBar?: (at: number) => void
}

const height = 100
const barWidth = 0.8

/** Bars of stacked values. A table beside it has the same. */
export function StackedBars({ label, bars, series, format, onBar }: Props) {
  const totals = bars.map((_, at) => series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0))
  const most = Math.max(...totals, 0)
  return (
    <div className={styles.chart}>
      <p className={styles.axis}>{format(most)}</p>
      <svg
        className={styles.bars}
        role="img"
        aria-label={label}
        viewBox={`0 0 ${bars.length} ${height}`}
        preserveAspectRatio="none"
      >
        {bars.map((bar, at) => (
          <g key={bar}>
            <title>{`${bar}: ${format(totals[at] ?? 0)}`}</title>
            {onBar && (
              // biome-ignore lint/a11y/noStaticElementInteractions: fields beside the chart do the same
              <rect className={styles.bar} x={at} width={1} height={height} onClick={() => onBar(at)} />
            )}
            {series.map(({ id, values, tone }, index) => {
              const value = values[at] ?? 0
              if (value === 0) return null
              const below = series.slice(0, index).reduce((sum, each) => sum + (each.values[at] ?? 0), 0)
              return (
                <rect
                  key={id}
                  {...lookOfSeries(index, tone)}
                  x={at + (1 - barWidth) / 2}
                  width={barWidth}
                  y={height - ((below + value) / most) * height}
                  height={(value / most) * height}
                />
              )
            })}
          </g>
        ))}
      </svg>
      <p className={styles.axis}>
        <span>{bars[0]}</span>
        {bars.length > 1 && <span>{bars.at(-1)}</span>}
      </p>
      <ul className={styles.legend}>
        {series.map(({ id, name, tone }, index) => (
          <li key={id}>
            <svg viewBox="0 0 12 12" aria-hidden="true">
              <rect {...lookOfSeries(index, tone)} width="12" height="12" rx="2" />
            </svg>
            <TenantText text={name} />
          </li>
        ))}
      </ul>
    </div>
  )
}

const lookOfSeries = (index: number, tone: Tone | undefined) =>
  tone === undefined ? { 'data-series': index } : { 'data-tone': tone }
