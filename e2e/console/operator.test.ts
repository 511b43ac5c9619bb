import { operatorRoutes } from '@sandbox-jobs/contract/operator/operator-routes.ts'
import type { OperatorState } from '@sandbox-jobs/contract/operator/operator-state.ts'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { freePort, type OwnService, startService } from '../main-job/service.ts'
import { faultsOf } from './accessibility.ts'
import { newContext, openPage, startBrowser } from './console-browser.ts'
import { hostileName, storedTexts, tracesOf } from './hostile-texts.ts'

/* The operator console of a real service, from the command of the operator on. */

let service: OwnService
let browser: Browser
let port: number
let context: BrowserContext
let page: Page
let faults: string[]

beforeAll(async () => {
  port = await freePort()
  service = await startService({ SANDBOX_OPERATOR_LISTEN: `127.0.0.1:${port}` })
  browser = await startBrowser()
})
afterAll(async () => {
  await browser?.close()
  await service?.stop()
})
beforeEach(async () => {
  context = await newContext(browser)
  ;({ page, faults } = await openPage(context))
})

/** The address that the command prints. */
async function newAddress(): Promise<string> {
  const { address } = await service.sandbox<{ address: string }>('operator', 'console')
  return address
}

const overview = (of: Page) => of.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
const signInPage = (of: Page) => of.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()

const quiet: OperatorState = {
  ...{ at: '2026-01-01T00:00:00.000Z', version: '1.0.0', enabled: true, worker: true, host_agent: true },
  sign_in: { account: 'grace', access: 'full', expires_at: '2026-01-01T00:30:00.000Z' },
  run_slots: { used: 0, total: 16 },
  build_slots: { used: 0, total: 3 },
  sandbox_memory: { used: 0, total: 2 ** 33 },
  machine: { processors: 2, load: 0.5, memory_available: 2 ** 32, memory_total: 2 ** 33 },
  disk: { free: 2 ** 36, total: 2 ** 37, floor: 2 ** 32 },
  waiting: {
    ...{ runs: 0, oldest_run: 0, builds: 0, oldest_build: 0 },
    ...{ webhooks: 0, mails: 0, audit_lag: 0, lock_waits: 0 },
  },
  ...{ companies: [], runs: [], storage: [] },
}

/** Answers the page with this state instead of that of the service. */
const show = (of: Page, state: Partial<OperatorState>) =>
  of.route(`**${operatorRoutes.readState.path}`, (route) => route.fulfill({ json: { ...quiet, ...state } }))

test('the address of the command signs in once and leaves no code behind', async () => {
  const address = await newAddress()
  expect(address).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:${port}/operator/sign-in#[\\w-]{43}$`))
  await page.goto(address)
  await overview(page)
  expect(page.url()).toBe(`http://127.0.0.1:${port}/operator/`)
  await page.getByText('Run places').waitFor()
  await page.getByText('No run is at work.').waitFor()
  await page.reload()
  await overview(page)
  expect(await page.evaluate('document.cookie + localStorage.length + sessionStorage.length')).toBe('00')

  const other = await (await newContext(browser)).newPage()
  await other.goto(address)
  await other.getByText('This address was used before').waitFor()
  expect(faults).toEqual([])
})

test('the link to the content of the page is no code', async () => {
  await page.goto(await newAddress())
  await overview(page)
  await page.getByRole('link', { name: 'Skip to content' }).press('Enter')
  expect(page.url()).toBe(`http://127.0.0.1:${port}/operator/#main`)
  await page.reload()
  await overview(page)
  expect(faults).toEqual([])
})

test('sign-out ends a sign-in', async () => {
  await page.goto(await newAddress())
  await overview(page)
  await page.getByRole('button', { name: 'Your sign-in' }).click()
  await page.getByText('Signed in as ').waitFor()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await signInPage(page)
  await page.reload()
  await signInPage(page)
  expect(faults).toEqual([])
})

test('the API has no route of operators, and their console has none of tenants', async () => {
  await page.goto(await newAddress())
  await overview(page)
  const status = (url: string) => page.evaluate<number>(`fetch('${url}').then(({ status }) => status)`)
  expect(await status('/private/users/me')).toBe(404)
  expect(await status('/console/')).toBe(404)
  for (const path of ['/operator/', operatorRoutes.readState.path])
    expect((await fetch(`${service.url}${path}`)).status).toBe(404)
})

test('company names are text, whatever they are', async () => {
  const hostile = [hostileName.name, ...storedTexts, '🏴'.repeat(256)]
  await show(page, {
    companies: hostile.map((name, index) => ({
      ...{ company_id: `c${index}`, name, runs_active: 1, runs_queued: 2 },
      ...{ oldest_queued_run: 3, builds_active: 4, builds_queued: 5 },
    })),
    storage: hostile.map((name, index) => ({
      ...{ company_id: `c${index}`, name, kept_bytes: 2 ** 40, limit_bytes: null },
    })),
    runs: hostile.map((company, index) => ({
      ...{ id: `run_${index}`, company_id: `c${index}`, company, state: 'running', profile: 'standard' },
      seconds: 90,
    })),
  })
  await page.goto(await newAddress())
  await overview(page)
  await page.getByText(hostileName.shown).first().waitFor()
  expect(await page.title()).toBe('Overview · Operator console')
  expect(await page.locator('main a').count()).toBe(0)
  expect(await tracesOf(page)).toEqual([])
  const width = 'document.documentElement.scrollWidth - innerWidth'
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await page.evaluate<number>(width)).toBeLessThanOrEqual(0)
  expect(faults).toEqual([])
})

test('an answer that fails and a part that is not there are said', async () => {
  let fails = false
  await page.route(`**${operatorRoutes.readState.path}`, (route) =>
    fails ? route.fulfill({ status: 409, json: { detail: 'No.' } }) : route.fallback(),
  )
  await page.goto(await newAddress())
  await overview(page)
  fails = true
  await page.reload()
  await page.getByText('No.', { exact: true }).waitFor()
  fails = false
  await show(page, { host_agent: false, disk: { ...quiet.disk, free: 0 } })
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('no sandbox starts').waitFor()
  await page.getByText('no new work is taken').waitFor()
})

test('the screens have no serious fault of accessibility and fit in both languages', async () => {
  // The policy of the page would refuse axe. The other tests open the same screens under it.
  const examined = await newContext(browser, { bypassCSP: true })
  const own = await examined.newPage()
  const found: string[] = []
  await own.goto(`http://127.0.0.1:${port}/operator/`)
  await signInPage(own)
  found.push(...(await faultsOf(own, 'sign-in')))
  await own.goto(await newAddress())
  await overview(own)
  await own.getByText('Run places').waitFor()
  found.push(...(await faultsOf(own, 'overview')))
  await own.getByRole('button', { name: 'Your sign-in' }).click()
  await own.getByRole('menuitemradio', { name: 'Deutsch' }).click()
  await own.getByRole('heading', { level: 1, name: 'Übersicht' }).waitFor()
  found.push(...(await faultsOf(own, 'overview in German')))
  expect(found).toEqual([])
})
