import type { Browser, BrowserContext } from 'playwright-core'
import { newContext, waitForScreen } from './console-browser.ts'

const transferred = `[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
  .filter(({ name, initiatorType }) => initiatorType !== 'fetch' && !name.includes('/private/'))
  .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`

/** KiB of the page, its scripts and its styles, as they are sent to a browser that has nothing of the console yet. */
export async function firstLoadOf(
  browser: Browser,
  signedIn: BrowserContext,
  address: string,
): Promise<number> {
  const storageState = await signedIn.storageState()
  const context = await newContext(browser, { storageState })
  try {
    const page = await context.newPage()
    await page.goto(address)
    await waitForScreen(page)
    return Math.round((await page.evaluate<number>(transferred)) / 1024)
  } finally {
    await context.close()
  }
}
