import type { ConsoleLanguage } from '@sandbox-jobs/contract/console-look.ts'

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour
const byteUnits = ['B', 'KiB', 'MiB', 'GiB', 'TiB']

export type Formats = ReturnType<typeof makeFormats>

/** Numbers, times and sizes as the person writes them. */
export function makeFormats(language: ConsoleLanguage, timeZone?: string) {
  const zone = timeZone === undefined ? {} : { timeZone }
  const dateTime = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short', ...zone })
  const exact = new Intl.DateTimeFormat(language, { dateStyle: 'full', timeStyle: 'long', ...zone })
  const time = new Intl.DateTimeFormat(language, { timeStyle: 'short', ...zone })
  const utcDay = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: 'UTC' })
  const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'short' })
  const whole = new Intl.NumberFormat(language, { maximumFractionDigits: 0 })
  const oneDigit = new Intl.NumberFormat(language, { maximumFractionDigits: 1, minimumFractionDigits: 1 })

  const ago = (passed: number): string => {
    if (passed < minute) return relative.format(-Math.max(0, Math.floor(passed / second)), 'second')
    if (passed < hour) return relative.format(-Math.floor(passed / minute), 'minute')
    return relative.format(-Math.floor(passed / hour), 'hour')
  }

  return {
    number: (value: number) => whole.format(value),
    dateTime: (at: Date) => dateTime.format(at),
    exactTime: (at: Date) => exact.format(at),
    /** A day of UTC, written `YYYY-MM-DD`. */
    day: (written: string) => utcDay.format(new Date(written)),
    timeOfDay: (at: Date) => time.format(at),
    /** Relative for a day, then date and time. */
    when: (at: Date, now: number): string => {
      const passed = now - at.getTime()
      return passed < day && passed > -minute ? ago(passed) : dateTime.format(at)
    },
    duration: (ms: number): string => {
      if (ms < 10 * second) return `${oneDigit.format(ms / second)} s`
      const seconds = Math.round(ms / second)
      if (seconds < 60) return `${whole.format(seconds)} s`
      if (seconds < 3600) return twoUnits(seconds, 60, 'min', 's')
      return twoUnits(Math.round(seconds / 60), 60, 'h', 'min')
    },
    bytes: (count: number): string => {
      let unit = 0
      let value = count
      for (; value >= 1024 && unit < byteUnits.length - 1; unit++) value /= 1024
      return `${(unit > 0 && value < 100 ? oneDigit : whole).format(value)} ${byteUnits[unit]}`
    },
    /** An amount as the service writes it, with at least four significant digits. */
    money: (amount: string, currency: string): string =>
      new Intl.NumberFormat(language, {
        style: 'currency',
        currency,
        currencyDisplay: 'code',
        minimumSignificantDigits: 4,
        maximumSignificantDigits: 6,
      }).format(Number(amount)),
  }
}

const twoUnits = (count: number, of: number, large: string, small: string): string =>
  `${Math.floor(count / of)} ${large} ${count % of} ${small}`
