import { dayMs } from '../../../base/clock.ts'

/** The moments of today that are the times of the day (`HH:MM`, UTC). */
function momentsOf(times: readonly string[], now: Date): number[] {
  const today = now.toISOString().slice(0, 10)
  return times.map((time) => Date.parse(`${today}T${time}:00Z`))
}

/** The last moment at or before `now` that is one of the times of the day. */
export function lastTime(times: readonly string[], now: Date): Date {
  const past = momentsOf(times, now).map((atMs) => (atMs > now.getTime() ? atMs - dayMs : atMs))
  return new Date(Math.max(...past))
}

/** The first moment after `now` that is one of the times of the day. */
export function nextTime(times: readonly string[], now: Date): Date {
  const coming = momentsOf(times, now).map((atMs) => (atMs > now.getTime() ? atMs : atMs + dayMs))
  return new Date(Math.min(...coming))
}
