const shortestMs = 100
/** So short that a role that dies again and again is away for seconds only; a start is half a second of a processor. */
const longestMs = 5000

/** Pause before the next start after `deaths` failures in a row: none at first, then doubling up to 5 s. */
export const backoffMs = (deaths: number): number =>
  deaths <= 1 ? 0 : Math.min(longestMs, shortestMs * 2 ** (deaths - 2))

/** The same as text for the operator. */
export const restartNotice = (pauseMs: number): string =>
  pauseMs === 0 ? 'starting it again' : `starting it again in ${pauseMs / 1000} s`
