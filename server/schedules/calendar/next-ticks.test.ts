import { describe, expect, it } from 'vitest'
import { CronProblem, parseCron } from './cron.ts'
import { countTicks, nextTicks } from './next-ticks.ts'
import { findTimeZone } from './time-zone.ts'

function calendarOf(cron: string, name: string) {
  const zone = findTimeZone(name)
  if (!zone) throw new Error(`there is no zone ${name}`)
  return { cron: parseCron(cron), zone }
}

const ticks = (cron: string, zone: string, after: string, count = 3) =>
  nextTicks(calendarOf(cron, zone), new Date(after), count).map((at) => at.toISOString().slice(0, 16))

describe('ticks are', () => {
  it('by the clocks of the zone', () => {
    expect(ticks('30 7 * * mon-fri', 'Europe/Berlin', '2026-12-04T06:30:00Z')).toEqual([
      '2026-12-07T06:30',
      '2026-12-08T06:30',
      '2026-12-09T06:30',
    ])
    expect(ticks('0 0 * * *', 'Pacific/Kiritimati', '2026-12-04T09:59:59Z', 1)).toEqual(['2026-12-04T10:00'])
    expect(ticks('0 23 31 12 *', 'America/New_York', '2026-12-31T12:00:00Z', 1)).toEqual(['2027-01-01T04:00'])
  })

  it('on steps, ranges, lists and names', () => {
    expect(ticks('*/20 1-5/2,8 1 JAN,jul *', 'UTC', '2026-12-04T00:00:00Z', 13).slice(-4)).toEqual([
      '2027-01-01T08:00',
      '2027-01-01T08:20',
      '2027-01-01T08:40',
      '2027-07-01T01:00',
    ])
  })

  it('on either day where both fields of days say something, and on both zeros of a week', () => {
    expect(ticks('0 0 13 * fri', 'UTC', '2026-11-12T00:00:00Z')).toEqual([
      '2026-11-13T00:00',
      '2026-11-20T00:00',
      '2026-11-27T00:00',
    ])
    expect(ticks('0 0 * * 7', 'UTC', '2026-11-12T00:00:00Z')).toEqual(
      ticks('0 0 * * 0', 'UTC', '2026-11-12T00:00:00Z'),
    )
  })

  it('on leap days, also where a century has none', () => {
    expect(ticks('0 0 29 2 *', 'UTC', '2026-11-12T00:00:00Z', 1)).toEqual(['2028-02-29T00:00'])
    expect(ticks('0 0 29 2 *', 'UTC', '2096-03-01T00:00:00Z', 1)).toEqual(['2104-02-29T00:00'])
  })

  it('counted for a price', () => {
    const after = new Date('2026-11-12T00:00:00Z')
    expect(countTicks(calendarOf('* * * * *', 'UTC'), after, 30)).toBe(30 * 1440)
    expect(countTicks(calendarOf('0 9,17 * * mon', 'UTC'), after, 28)).toBe(8)
  })
})

describe('when clocks change', () => {
  it('a time that is left out comes when they go on', () => {
    expect(ticks('30 2 * * *', 'Europe/Berlin', '2027-03-27T02:00:00Z', 2)).toEqual([
      '2027-03-28T01:00',
      '2027-03-29T00:30',
    ])
    expect(ticks('*/30 * * * *', 'Europe/Berlin', '2027-03-28T00:00:00Z')).toEqual([
      '2027-03-28T00:30',
      '2027-03-28T01:00',
      '2027-03-28T01:30',
    ])
  })

  it('a time that comes twice has a tick the first time', () => {
    expect(ticks('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00:00Z', 2)).toEqual([
      '2026-10-25T00:30',
      '2026-10-26T01:30',
    ])
  })

  it('an expression with every hour goes on evenly, by half an hour too', () => {
    expect(ticks('30 * * * *', 'Europe/Berlin', '2026-10-24T23:45:00Z')).toEqual([
      '2026-10-25T00:30',
      '2026-10-25T01:30',
      '2026-10-25T02:30',
    ])
    expect(ticks('*/15 * * * *', 'Australia/Lord_Howe', '2026-04-04T14:30:00Z', 5)).toEqual([
      '2026-04-04T14:45',
      '2026-04-04T15:00',
      '2026-04-04T15:15',
      '2026-04-04T15:30',
      '2026-04-04T15:45',
    ])
  })
})

describe('refused are', () => {
  it.each([
    ['six fields, so each second', '* * * * * *'],
    ['names', '@daily'],
    ['values beyond a field', '60 * * * *'],
    ['ranges backwards', '5-1 * * * *'],
    ['steps of nothing', '*/0 * * * *'],
    ['steps of one value', '5/15 * * * *'],
    ['names of another field', '* * mon * *'],
    ['marks of other programs', '0 0 L * *'],
    ['empty items', '1,,2 * * * *'],
    ['days that never come', '0 0 30 feb *'],
    ['days that never come in any of its months', '0 0 31 2,4,6,9,11 *'],
  ])('%s', (_, text) => {
    expect(() => parseCron(text)).toThrow(CronProblem)
  })

  it.each(['', 'Nowhere/City', '+05:30', 'UTC+1:00', 'Europe/Berlin\u0000', 'x'.repeat(64)])(
    'the zone %j',
    (name) => {
      expect(findTimeZone(name)).toBeUndefined()
    },
  )
})
