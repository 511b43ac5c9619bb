import { dayMs } from '../../base/clock.ts'
import type { CalendarDay, Cron } from './cron.ts'
import { type Offsets, offsetMaxMs, type TimeZone } from './time-zone.ts'

/** A cron expression in a time zone. */
export interface Calendar {
  cron: Cron
  zone: TimeZone
}

const minuteMs = 60_000

/** Leap days are eight years apart where a century is none. */
const searchedDays = 8 * 366 + 1

/**
 * The next ticks after an instant, each a whole minute. A time that the zone's clocks leave out comes at the minute at which
 * they go on. A time that they show twice comes the first time, or both times if the expression names every hour.
 */
export function nextTicks(calendar: Calendar, after: Date, count: number): Date[] {
  const ticks: number[] = []
  // The zone may be a day behind.
  const first = Math.floor(after.getTime() / dayMs) - 1
  for (let at = first; at < first + searchedDays && ticks.length < count; at += 1) {
    const last = ticks.at(-1) ?? after.getTime()
    if (calendar.cron.hasDay(dateOf(at)))
      ticks.push(...ticksOfDay(calendar, at * dayMs).filter((tick) => tick > last))
  }
  return ticks.slice(0, count).map((tick) => new Date(tick))
}

/** Of an expression that was accepted, which has one. */
export function nextTick(calendar: Calendar, after: Date): Date {
  const [tick] = nextTicks(calendar, after, 1)
  if (!tick) throw new Error('a cron expression without a tick was accepted')
  return tick
}

/** Ticks within so many days after an instant, but for changes of clocks. */
export function countTicks({ cron }: Calendar, after: Date, days: number): number {
  const first = Math.floor(after.getTime() / dayMs)
  const matching = Array.from({ length: days }, (_, at) => dateOf(first + at)).filter(cron.hasDay)
  return matching.length * cron.hours.length * cron.minutes.length
}

function dateOf(epochDay: number): CalendarDay {
  const date = new Date(epochDay * dayMs)
  return { month: date.getUTCMonth() + 1, day: date.getUTCDate(), weekday: date.getUTCDay() }
}

/** `midnight`: of a day by the zone's clocks, as if they showed UTC. */
function ticksOfDay({ cron, zone }: Calendar, midnight: number): number[] {
  const offsets = zone.offsetsBetween(midnight - offsetMaxMs, midnight + dayMs + offsetMaxMs)
  const ticks = new Set<number>()
  for (const hour of cron.hours)
    for (const minute of cron.minutes)
      for (const tick of instantsOf(midnight + (hour * 60 + minute) * minuteMs, offsets, cron))
        ticks.add(tick)
  return [...ticks].toSorted((a, b) => a - b)
}

/** The instants at which the clocks show a time. */
function instantsOf(shown: number, { before, after, changesAt }: Offsets, { isEveryHour }: Cron): number[] {
  const early = shown - before
  const late = shown - after
  if (early < changesAt) return isEveryHour && late >= changesAt ? [early, late] : [early]
  return [late >= changesAt ? late : changesAt]
}
