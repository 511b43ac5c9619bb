import type { RunStatistics } from '@sandbox-jobs/contract/resources/runs/run-statistics.ts'
import type { RunState } from '@sandbox-jobs/contract/states/run-states.ts'
import { lookOf, type StateWord, type Tone } from '../../design/states.ts'
import type { Filters } from './filters.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const daysByDefault = 14
const daysMax = 400
/** Up to so many days are shown by the hour. */
const hourlyDays = 2

/** Days as the address has them, and whether they are shown by the hour. */
export interface Period {
  from: string
  to: string
  bucket: 'hour' | 'day'
}

/** The days that the charts show: those of the filters, or the last two weeks. */
export function periodOf({ from, to }: Filters, today: Date): Period {
  const last = to ?? dayOf(today)
  const earliest = daysBefore(last, daysMax - 1)
  const first = from ?? daysBefore(last, daysByDefault - 1)
  const shown = first < earliest ? earliest : first
  return { from: shown, to: last, bucket: shown > daysBefore(last, hourlyDays) ? 'hour' : 'day' }
}

/** The day of the calendar where the person is. */
export const dayOf = (at: Date): string =>
  [at.getFullYear(), at.getMonth() + 1, at.getDate()].map((part) => String(part).padStart(2, '0')).join('-')

function daysBefore(written: string, days: number): string {
  const [year = 0, month = 1, date = 1] = written.split('-').map(Number)
  return dayOf(new Date(year, month - 1, date - days))
}

/** States that look alike are one part of a bar. */
const shownStates: readonly RunState[][] = [
  ['completed'],
  ['customer_failed'],
  ['platform_failed'],
  ['cancelled'],
  ['running', 'starting', 'queued', 'cancel_requested'],
]

interface Series {
  id: RunState
  /** `open`: it has not ended. */
  word: StateWord | 'open'
  tone: Tone
  values: number[]
}

export interface ChartedRuns {
  /** Starts of the hours or days. */
  bars: Date[]
  states: Series[]
  /** Milliseconds; 0 where nothing has started or ended. */
  waits: Spread
  durations: Spread
}

export interface Spread {
  p50: number[]
  p95: number[]
}

/** A bar for each hour or day up to `until`, also for those without a run. */
export function chartedRuns({ from, bucket, items }: RunStatistics, until: Date): ChartedRuns {
  const [start, length] = [Date.parse(from), bucket === 'hour' ? hourMs : dayMs]
  const count = Math.max(1, Math.ceil((until.getTime() - start) / length))
  const bars = Array.from({ length: count }, (_, at) => new Date(start + at * length))
  const byBar = new Map(items.map((item) => [Math.round((Date.parse(item.at) - start) / length), item]))
  const valuesOf = (value: (item: RunStatistics['items'][number]) => number) =>
    bars.map((_, at) => {
      const item = byBar.get(at)
      return item ? value(item) : 0
    })
  const states = shownStates.flatMap((of): Series[] => {
    const [id] = of
    const values = valuesOf((item) => of.reduce((sum, state) => sum + (item.by_status[state] ?? 0), 0))
    if (id === undefined || values.every((value) => value === 0)) return []
    const { tone, word } = lookOf('run', id)
    return [{ id, tone, word: of.length > 1 ? 'open' : word, values }]
  })
  const spreadOf = (name: 'wait' | 'run'): Spread => ({
    p50: valuesOf((item) => item[name]?.p50 ?? 0),
    p95: valuesOf((item) => item[name]?.p95 ?? 0),
  })
  return { bars, states, waits: spreadOf('wait'), durations: spreadOf('run') }
}
