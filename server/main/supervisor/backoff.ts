const shortestMs = 100
const longestMs = 30_000

/**
 * Pause before the next start of something that has died `deaths` times in a row: none at first, since what served well
 * will again, then one that doubles, up to 30 s.
 */
export const backoffMs = (deaths: number): number =>
  deaths <= 1 ? 0 : Math.min(longestMs, shortestMs * 2 ** (deaths - 2))

/** The same in words, for whoever reads what the service does. */
export const startingAgain = (pauseMs: number): string =>
  pauseMs === 0 ? 'starting it again' : `starting it again in ${pauseMs / 1000} s`
