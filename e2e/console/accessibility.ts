import axe from 'axe-core'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import type { Service } from '../main-job/service.ts'
import { newContext, signIn, waitForScreen } from './console-browser.ts'
import { firstLoadOf } from './first-load.ts'

/** The part of an answer of axe that is read here. */
interface AxeResult {
  violations: { id: string; impact: string | null; nodes: { html: string }[] }[]
}

const widths = [1440, 390]
/** The narrowest phone. */
const narrowest = { width: 360, height: 800 }
/** A theme changes colours alone. */
const themes = [
  { theme: 'light', rules: "resultTypes: ['violations']" },
  { theme: 'dark', rules: "runOnly: ['color-contrast']" },
] as const

/**
 * Serious faults of screens at each width and in each theme, screens that are wider than the window, and screens whose first load is
 * not smaller than `maxKibibytes`.
 */
export async function faultsOfScreens(
  browser: Browser,
  { url, user, password }: Service,
  addresses: readonly string[],
  maxKibibytes: number,
): Promise<string[]> {
  // The policy of the page would refuse axe. Other tests open the same screens under it.
  const context = await newContext(browser, { bypassCSP: true })
  const page = await context.newPage()
  await page.goto(`${url}/console/`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  const faults = await faultsOf(page, 'sign-in')
  await signIn(page, user, password)
  await page.getByRole('heading', { level: 1, name: 'Rooms' }).waitFor()
  for (const address of addresses) {
    await page.goto(address)
    await waitForScreen(page)
    const kibibytes = await firstLoadOf(page)
    if (kibibytes >= maxKibibytes) faults.push(`${address}: ${kibibytes} KiB`)
    faults.push(...(await faultsOf(page, address)))
  }
  await context.close()
  return faults
}

/** Screens that are wider than a phone in a language with longer words. */
export async function tooWideInGerman(
  browser: Browser,
  signedIn: BrowserContext,
  addresses: readonly string[],
): Promise<string[]> {
  const context = await newContext(browser, {
    storageState: await signedIn.storageState(),
    locale: 'de',
    viewport: narrowest,
  })
  const page = await context.newPage()
  const faults: string[] = []
  for (const address of addresses) {
    await page.goto(address)
    await waitForScreen(page)
    if ((await page.locator('html').getAttribute('lang')) !== 'de') faults.push(`${address}: not German`)
    faults.push(...(await excessOf(page, address)))
  }
  await context.close()
  return faults
}

/** Whether a screen is wider than its window, or the bar of sections at its foot is. */
export async function excessOf(page: Page, screen: string): Promise<string[]> {
  const excess = await page.evaluate<number>(`Math.max(
    document.documentElement.scrollWidth - innerWidth,
    ...[...document.querySelectorAll('nav')]
      .filter((nav) => getComputedStyle(nav).position === 'fixed')
      .map((nav) => nav.scrollWidth - nav.clientWidth),
  )`)
  return excess > 0 ? [`${screen}: ${excess} pixels too wide`] : []
}

/** Serious faults of the screen of a page, at each width and in each theme, and whether it is wider than the window there and on the narrowest phone. */
export async function faultsOf(page: Page, screen: string): Promise<string[]> {
  await page.addScriptTag({ content: axe.source })
  const faults: string[] = []
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 })
    for (const { theme, rules } of themes) {
      await page.emulateMedia({ colorScheme: theme })
      const { violations } = await page.evaluate<AxeResult>(`axe.run(document, { ${rules} })`)
      const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
      faults.push(...serious.map(({ id, nodes }) => `${screen} ${width} ${theme}: ${id} ${nodes[0]?.html}`))
    }
    faults.push(...(await excessOf(page, `${screen} ${width}`)))
  }
  await page.setViewportSize(narrowest)
  faults.push(...(await excessOf(page, `${screen} ${narrowest.width}`)))
  return faults
}
