import type { Page } from 'playwright-core'

const loaded = `[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
  .filter(({ name, initiatorType }) => initiatorType !== 'fetch' && !name.includes('/private/'))
  .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`

/** KiB of the document, its scripts and its styles, as they are sent to a browser that has nothing of the console yet. */
export const firstLoadOf = async (page: Page): Promise<number> =>
  Math.round((await page.evaluate<number>(loaded)) / 1024)
