const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** The offset of a zone's clocks from UTC before and after an instant at which it changes, if it does in that time. */
export interface Offsets {
  before: number
  after: number
  changesAt: number
}

/** A region of the time zone database, with the offset of its clocks at each instant. All times are milliseconds. */
export interface TimeZone {
  /** Between two instants that are a few days apart; clocks change at most once. */
  offsetsBetween(from: number, to: number): Offsets
}

const nameForm = /^[A-Za-z][A-Za-z0-9_+-]*(?:\/[A-Za-z0-9_+-]+){0,2}$/

/** A formatter takes tens of kilobytes, and tens of microseconds to make. */
const keptZones = 64
const zones = new Map<string, TimeZone>()

/** The zone of that name; undefined if there is none. Plain offsets have no name. */
export function findTimeZone(name: string): TimeZone | undefined {
  const known = zones.get(name)
  if (known) return known
  const zone = nameForm.test(name) ? makeTimeZone(name) : undefined
  if (!zone) return undefined
  if (zones.size >= keptZones) zones.clear()
  zones.set(name, zone)
  return zone
}

function makeTimeZone(name: string): TimeZone | undefined {
  let format: Intl.DateTimeFormat
  try {
    format = new Intl.DateTimeFormat('en-US', { ...parts, timeZone: name })
  } catch {
    return undefined
  }
  const offsetAt = (at: number): number => clockOf(format, at) - Math.floor(at / 1000) * 1000
  return {
    offsetsBetween: (from, to) => {
      const before = offsetAt(from)
      const after = offsetAt(to)
      return { before, after, changesAt: before === after ? to : findChange(offsetAt, { from, to, before }) }
    },
  }
}

const parts = {
  calendar: 'gregory',
  hourCycle: 'h23',
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
  second: 'numeric',
} as const

/** The time that the zone's clocks show at an instant, as if it were UTC. */
function clockOf(format: Intl.DateTimeFormat, at: number): number {
  const shown = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]))
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = shown
  return Date.UTC(year, month - 1, day, hour, minute, second)
}

/** The first minute with another offset. */
function findChange(
  offsetAt: (at: number) => number,
  { from, to, before }: { from: number; to: number; before: number },
): number {
  let low = Math.floor(from / minuteMs)
  let high = Math.ceil(to / minuteMs)
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (offsetAt(middle * minuteMs) === before) low = middle
    else high = middle
  }
  return high * minuteMs
}

/** Clocks of a zone are at most this far from UTC. */
export const offsetMaxMs = 15 * hourMs
