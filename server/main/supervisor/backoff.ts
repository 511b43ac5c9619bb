const shortestMs = 250
const longestMs = 30_000

/** Pause before the next start of something that has died `deaths` times in a row: doubles, up to 30 s. */
export const backoffMs = (deaths: number): number =>
  Math.min(longestMs, shortestMs * 2 ** Math.max(0, deaths - 1))
