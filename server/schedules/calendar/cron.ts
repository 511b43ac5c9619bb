/** When ticks are, in the time of a zone: five fields, as `crontab` has them. */
export interface Cron {
  minutes: readonly number[]
  hours: readonly number[]
  /** Every hour of the day: its ticks come in each of two hours that a zone has twice. */
  isEveryHour: boolean
  hasDay: (day: CalendarDay) => boolean
}

/** A day of the Gregorian calendar: months count from 1, weekdays from 0 for Sunday. */
export interface CalendarDay {
  month: number
  day: number
  weekday: number
}

interface Field {
  /** In messages. */
  name: string
  min: number
  max: number
  /** Names of the values, from `min`. */
  names?: readonly string[]
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

const minuteField = { name: 'minute', min: 0, max: 59 }
const hourField = { name: 'hour', min: 0, max: 23 }
const dayField = { name: 'day of the month', min: 1, max: 31 }
const monthField = { name: 'month', min: 1, max: 12, names: months }
/** 0 and 7 are Sunday. */
const weekdayField = { name: 'day of the week', min: 0, max: 7, names: weekdays }

/** The fault of an expression, in words that follow its name. */
export class CronProblem extends Error {
  constructor(words: string) {
    super(words)
    this.name = 'CronProblem'
  }
}

/** Throws `CronProblem`. The caller bounds the length of the text. */
export function parseCron(text: string): Cron {
  const parts = text.trim().split(/[ \t]+/)
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = parts
  if (parts.length !== 5)
    throw new CronProblem('must have five fields: minute, hour, day of the month, month, day of the week')
  const hours = valuesOf(hour, hourField)
  const days = new Set(valuesOf(day, dayField))
  const inMonths = new Set(valuesOf(month, monthField))
  const onWeekdays = new Set(valuesOf(weekday, weekdayField).map((value) => value % 7))
  if (weekday === '*' && ![...inMonths].some((each) => [...days].some((one) => one <= longest(each))))
    throw new CronProblem('names no day that there is')
  return {
    minutes: valuesOf(minute, minuteField),
    hours,
    isEveryHour: hours.length === 24,
    hasDay: (date) => inMonths.has(date.month) && matches(date),
  }

  /** As in every `crontab`: where both fields of days say something, either is enough. */
  function matches(date: CalendarDay): boolean {
    const byDay = days.has(date.day)
    const byWeekday = onWeekdays.has(date.weekday)
    return day === '*' || weekday === '*' ? byDay && byWeekday : byDay || byWeekday
  }
}

/** A leap day comes, if only every fourth year. */
const longest = (month: number): number => (month === 2 ? 29 : [4, 6, 9, 11].includes(month) ? 30 : 31)

function valuesOf(text: string, field: Field): number[] {
  const values = new Set(text.split(',').flatMap((item) => valuesOfItem(item, field)))
  return [...values].toSorted((a, b) => a - b)
}

const itemForm = /^(?<from>\*|[a-z0-9]{1,3})(?:-(?<to>[a-z0-9]{1,3}))?(?:\/(?<step>[0-9]{1,2}))?$/i

function valuesOfItem(item: string, field: Field): number[] {
  const { from, to, step } = itemForm.exec(item)?.groups ?? {}
  if (from === undefined || (from === '*' && to !== undefined)) throw refused(field)
  // A step of a single value, such as 5/15, means another thing to each program.
  if (from !== '*' && to === undefined && step !== undefined) throw refused(field)
  const first = from === '*' ? field.min : numberOf(from, field)
  const last = from === '*' ? field.max : to === undefined ? first : numberOf(to, field)
  const by = step === undefined ? 1 : Number(step)
  if (last < first || by < 1 || by > field.max) throw refused(field)
  return Array.from({ length: Math.floor((last - first) / by) + 1 }, (_, at) => first + at * by)
}

function numberOf(text: string, field: Field): number {
  const named = field.names?.indexOf(text.toLowerCase()) ?? -1
  if (named >= 0) return field.min + named
  const value = /^[0-9]{1,2}$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= field.min && value <= field.max)) throw refused(field)
  return value
}

function refused({ name, min, max, names }: Field): CronProblem {
  const values = names ? `${min} to ${max}, ${names[0]} to ${names.at(-1)}` : `${min} to ${max}`
  return new CronProblem(
    `must have a ${name} of *, ${values}, ranges as 1-5, steps as */2 and lists of these`,
  )
}
