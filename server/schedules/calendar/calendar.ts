import { problemOf, ValidationError, type ValidationProblem } from '../../base/errors/validation-error.ts'
import { CronProblem, parseCron } from './cron.ts'
import type { Calendar } from './next-ticks.ts'
import { findTimeZone } from './time-zone.ts'

/** The calendar of two fields of a request, which are in its body or query. Throws the standard 422 array. */
export function readCalendar(
  where: 'body' | 'query',
  { cron: text, time_zone }: { cron: string; time_zone: string },
): Calendar {
  const zone = findTimeZone(time_zone)
  const cron = cronOr(text, where)
  if (zone && !('msg' in cron)) return { cron, zone }
  const words = 'must be a name of the time zone database, such as Europe/Berlin or UTC'
  throw new ValidationError([
    ...('msg' in cron ? [cron] : []),
    ...(zone ? [] : [problemOf([where, 'time_zone'], { type: 'time_zone', words })]),
  ])
}

function cronOr(text: string, where: string): ReturnType<typeof parseCron> | ValidationProblem {
  try {
    return parseCron(text)
  } catch (error) {
    if (!(error instanceof CronProblem)) throw error
    return problemOf([where, 'cron'], { type: 'cron', words: error.message })
  }
}
