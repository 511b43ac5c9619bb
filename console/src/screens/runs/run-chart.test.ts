import type { RunStatistics } from '@sandbox-jobs/contract/resources/runs/run-statistics.ts'
import { describe, expect, it } from 'vitest'
import { chartedRuns, periodOf } from './run-chart.ts'

describe('the days of the charts', () => {
  const today = new Date(2026, 11, 1, 15)

  it('are the last two weeks, or those of the filters', () => {
    expect(periodOf({}, today)).toEqual({ from: '2026-11-18', to: '2026-12-01', bucket: 'day' })
    expect(periodOf({ from: '2026-11-03', to: '2026-11-10' }, today)).toMatchObject({
      from: '2026-11-03',
      to: '2026-11-10',
    })
  })

  it('are shown by the hour if they are two at most, and are 400 at most', () => {
    expect(periodOf({ from: '2026-12-01' }, today).bucket).toBe('hour')
    expect(periodOf({ from: '2026-11-30' }, today).bucket).toBe('hour')
    expect(periodOf({ from: '2026-11-29' }, today).bucket).toBe('day')
    expect(periodOf({ from: '2001-01-01' }, today).from).toBe('2025-10-28')
  })
})

describe('the charts', () => {
  const statistics: RunStatistics = {
    from: '2026-11-20T00:00:00.000Z',
    bucket: 'day',
    truncated: false,
    items: [
      {
        at: '2026-11-21T00:00:00.000Z',
        by_status: { completed: 3, queued: 1, running: 2 },
        wait: { p50: 10, p95: 20 },
        run: null,
      },
    ],
  }

  it('have a bar for each day, and no part for a state without a run', () => {
    const { bars, states, waits, durations } = chartedRuns(statistics, new Date('2026-11-22T12:00:00Z'))
    expect(bars.map((bar) => bar.toISOString().slice(0, 10))).toEqual([
      '2026-11-20',
      '2026-11-21',
      '2026-11-22',
    ])
    expect(states).toMatchObject([
      { word: 'completed', tone: 'success', values: [0, 3, 0] },
      { word: 'open', values: [0, 3, 0] },
    ])
    expect([waits.p95, durations.p95]).toEqual([
      [0, 20, 0],
      [0, 0, 0],
    ])
  })
})
