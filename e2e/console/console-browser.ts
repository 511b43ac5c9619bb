import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
  type Route,
} from 'playwright-core'

/** A page of the console, with the faults that the browser reports about it. */
export interface ConsolePage {
  page: Page
  /** Errors of scripts, refusals by the policy of the page, and failed requests that no screen expects. */
  faults: string[]
}

/** Answers and a broken connection that a test brings about on purpose. The browser writes them down too. */
const expected = /status of (409|418|422)|ERR_INTERNET_DISCONNECTED/

export const startBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: '/usr/bin/chromium-headless-shell',
    // Chromium's own sandbox does not start as root. The pages are our own.
    args: ['--no-sandbox'],
  })

export async function openPage(context: BrowserContext): Promise<ConsolePage> {
  const page = await context.newPage()
  const faults: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' && !expected.test(message.text()))
      faults.push(`${message.text()} ${message.location().url}`)
  })
  page.on('pageerror', (error) => faults.push(error.message))
  return { page, faults }
}

/** For what hangs: a slow machine takes long. */
const waitMaxMs = 120_000

/** For a build: it took more than five minutes on a machine with ten times the load. */
const buildMaxMs = 600_000
/** Of a test that waits for a build. */
export const buildTestMs = buildMaxMs + waitMaxMs

/** Waits on the page of a build until it has succeeded. */
export const waitForBuild = (page: Page): Promise<void> =>
  page.getByText('Completed').first().waitFor({ timeout: buildMaxMs })

export async function newContext(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  const context = await browser.newContext({
    locale: 'en',
    viewport: { width: 1440, height: 900 },
    ...options,
  })
  context.setDefaultTimeout(waitMaxMs)
  return context
}

/** Sends a request to the service, whose answer does not reach the page. */
export async function loseAnswer(route: Route): Promise<void> {
  await route.fetch()
  await route.abort()
}

/** Signs in at the first page, as a person does. */
export async function signIn(page: Page, user: string, password: string): Promise<void> {
  await page.getByLabel('Login').fill(user)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** Waits until the screen has its title and nothing in it loads. */
export async function waitForScreen(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.locator('[aria-busy]').first().waitFor({ state: 'detached' })
}
