import { sleep } from '../base/clock.ts'
import type { LiveNews } from '../live-logs/log-news.ts'

/** Where nobody tells of news, followers look for them at their slow pace. */
export const silentLogNews: LiveNews = {
  of: () => ({ next: (withinMs) => sleep(withinMs), close: () => undefined }),
}
