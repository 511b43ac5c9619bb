import { InvalidArgumentError } from 'commander'

/** Parses an option that is a number of days, such as `30d`, with the maximum `max`. */
export const daysUpTo =
  (max: number) =>
  (text: string): number => {
    const days = /^([1-9]\d{0,5})d$/.exec(text)?.[1]
    if (days === undefined || Number(days) > max)
      throw new InvalidArgumentError(`It must be a number of days from 1d to ${max}d.`)
    return Number(days)
  }
