const dayMs = 86_400_000

/** The last moment at or before `now` that is one of the times of the day (`HH:MM`, UTC). */
export function lastTime(times: readonly string[], now: Date): Date {
  const today = now.toISOString().slice(0, 10)
  const moments = times.map((time) => {
    const atMs = Date.parse(`${today}T${time}:00Z`)
    return atMs > now.getTime() ? atMs - dayMs : atMs
  })
  return new Date(Math.max(...moments))
}
