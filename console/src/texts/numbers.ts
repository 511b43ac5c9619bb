import type { ConsoleLanguage } from '@sandbox-jobs/contract/console-look.ts'

/** Numbers in texts of a language, and words that follow a count. */
export function numbersOf(language: ConsoleLanguage) {
  const number = new Intl.NumberFormat(language)
  const counted = (count: number, one: string, other: string): string =>
    `${number.format(count)} ${count === 1 ? one : other}`
  return { number, counted }
}
