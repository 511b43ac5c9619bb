/**
 * Times of files as this folder has them: seconds since 1970. 0 means that the time is unknown, as in archives whose writer leaves times out.
 */
export const unknownTime = 0

/** The largest that a header of a tar holds in octal digits. */
const latest = 8 ** 11 - 1

/** The whole second, or the nearest time that a header holds. Anything that is not a number is unknown. */
export const fileTime = (seconds: number): number =>
  seconds > 0 ? Math.min(Math.floor(seconds), latest) : unknownTime

export const fileTimeOf = (date: Date): number => fileTime(date.getTime() / 1000)
