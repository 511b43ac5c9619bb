import { ApiError } from '@sandbox-jobs/contract/client/api-error.ts'
import type { OperatedCompany } from '@sandbox-jobs/contract/operator/operator-company.ts'
import { operatorRoutes } from '@sandbox-jobs/contract/operator/operator-routes.ts'
import type { OperatorState } from '@sandbox-jobs/contract/operator/operator-state.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { freePort, type OwnService, startService } from '../main-job/service.ts'
import { logIn } from '../main-job/tenant.ts'
import { excessOf, faultsOf } from './accessibility.ts'
import { newContext, openPage, startBrowser, waitForScreen } from './console-browser.ts'
import { firstLoadOf } from './first-load.ts'
import { hostileName, storedTexts, tracesOf } from './hostile-texts.ts'

/* The operator console of a real service, from the command of the operator on. */

const firstLoadMaxKibibytes = 250

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
async function newAddress(...options: string[]): Promise<string> {
  const { address } = await service.sandbox<{ address: string }>('operator', 'console', ...options)
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
  ...{ companies: [], runs: [], storage: [], stopped_since: null },
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
  expect(await page.locator('main a:not([href^="/operator/companies/c"])').count()).toBe(0)
  expect(await tracesOf(page)).toEqual([])
  const width = 'document.documentElement.scrollWidth - innerWidth'
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await page.evaluate<number>(width)).toBeLessThanOrEqual(0)
  expect(faults).toEqual([])
})

test('an operator changes limits of a company, with a reason that the audit log has', async () => {
  await page.goto(await newAddress())
  await overview(page)
  await page.getByRole('link', { name: 'Companies' }).click()
  await page.locator('main tbody a').first().click()
  const queued = page.getByLabel('Waiting runs', { exact: true })
  await queued.fill('21')
  await page.getByText('From 1 to 20.').waitFor()
  await queued.fill('7')
  await queued.press('Enter')
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Waiting runs: 20 → 7').waitFor()
  await dialog.getByRole('button', { name: 'Change limits' }).click()
  await dialog.getByText('Write why you do it.').waitFor()
  await dialog.getByLabel('Reason').fill(hostileName.name)
  await dialog.getByRole('button', { name: 'Change limits' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.reload()
  expect(await queued.inputValue()).toBe('7')
  await page.getByRole('link', { name: 'Audit log' }).click()
  await page.locator('main td').getByText(hostileName.shown).first().waitFor()
  expect(await tracesOf(page)).toEqual([])
  const { items } = await service.sandbox<{ items: object[] }>('operator', 'acts')
  expect(items[0]).toMatchObject({
    act: 'company_set',
    details: {
      queued_run_limit: 7,
      reason: hostileName.name,
      request: expect.stringMatching(/^[0-9a-f]{32}$/),
    },
  })
  expect(faults).toEqual([])
})

test('an operator sets the budget of a company and removes it', async () => {
  await page.goto(await newAddress())
  await overview(page)
  await page.getByRole('link', { name: 'Companies' }).click()
  await page.locator('main tbody a').first().click()
  await page.getByRole('button', { name: 'Set the budget' }).press('Enter')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Amount for a month').fill('many')
  await dialog.getByLabel('Reason').fill('A trial.')
  await dialog.getByRole('button', { name: 'Set the budget' }).press('Enter')
  await dialog.getByText('An amount such as').waitFor()
  await dialog.getByLabel('Amount for a month').fill('99.50')
  await dialog.getByRole('button', { name: 'Set the budget' }).press('Enter')
  await dialog.waitFor({ state: 'detached' })
  await page.getByText('USD 99.50').first().waitFor()
  await act('Remove all budgets', 'The company pays.')
  await page.getByText('No limit').waitFor()
  expect(faults).toEqual([])
})

test('an operator revokes a gateway key', async () => {
  const name = hostileName.shown
  await service.sandbox('operator', 'gateway-key', 'issue', 'acme', name)
  await page.goto(await newAddress())
  await overview(page)
  await page.getByRole('link', { name: 'Companies' }).click()
  await page.locator('main tbody a').first().click()
  await page.getByRole('button', { name: `Revoke the key ${name}` }).press('Enter')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Reason').fill('It leaked.')
  await dialog.getByRole('button', { name: 'Revoke' }).press('Enter')
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Revoke the key' }).waitFor({ state: 'detached' })
  const { items } = await service.sandbox<{ items: object[] }>('operator', 'gateway-key', 'list', 'acme')
  expect(items).toMatchObject([{ name, revoked_at: expect.any(String) }])
  expect(faults).toEqual([])
})

test('an operator refuses new builds and accepts them again', async () => {
  await page.goto(await newAddress())
  await overview(page)
  await page.getByRole('link', { name: 'Builds' }).click()
  await page.getByText('No build is at work or waits.').waitFor()
  await act('Refuse new builds', 'The builder is replaced.')
  await page.getByText('New builds of all companies are refused until').waitFor()
  await act('Accept builds again', 'The new builder works.')
  await page.getByText('New builds of all companies are refused until').waitFor({ state: 'detached' })
  expect(faults).toEqual([])
})

test('the kill switch refuses changes within a second, over a restart of the API, and lets them in again', async () => {
  const { client } = await logIn(service)
  const post = () =>
    client.call(allRoutes.readAllNotifications, { body: { before: new Date().toISOString() } }).then(
      () => 'taken',
      (error: unknown) => (error instanceof ApiError ? error.code : String(error)),
    )
  expect(await post()).toBe('taken')
  await page.goto(await newAddress())
  await overview(page)
  await act('Turn on the kill switch', 'A secret leaked.')
  await expect.poll(post, { timeout: 1000 }).toBe('sandbox_disabled')
  await page.getByText('The kill switch is on: every change is refused.').waitFor()
  expect((await client.call(allRoutes.readMe)).sandbox_enabled).toBe(false)
  await service.kill('api')
  await expect.poll(post).toBe('sandbox_disabled')
  await act('Turn off the kill switch', 'It is replaced.')
  await expect.poll(post, { timeout: 1000 }).toBe('taken')
  expect(faults).toEqual([])
})

test('a dialog that turns the kill switch on does so, also when somebody else has turned it on meanwhile', async () => {
  const name = 'Turn on the kill switch'
  await page.goto(await newAddress())
  await overview(page)
  await page.getByRole('button', { name }).press('Enter')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Reason').fill('A secret leaked.')
  await service.sandbox('operator', 'kill-switch', 'on')
  await page.getByText('The kill switch is on: every change is refused.').waitFor()
  await dialog.getByRole('button', { name }).press('Enter')
  await dialog.waitFor({ state: 'detached' })
  expect(await service.sandbox('operator', 'kill-switch', 'off')).toEqual({ was_on: true })
})

test('the command turns the kill switch on and off too', async () => {
  expect(await service.sandbox('operator', 'kill-switch', 'on')).toEqual({
    stopped_since: expect.any(String),
  })
  expect(await service.sandbox('operator', 'kill-switch', 'off')).toEqual({ was_on: true })
  expect(await service.sandbox('operator', 'kill-switch', 'off')).toEqual({ was_on: false })
})

/** By the keyboard. */
async function act(name: string, reason: string): Promise<void> {
  await page.getByRole('button', { name }).press('Enter')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Reason').fill(reason)
  await dialog.getByRole('button', { name }).press('Enter')
  await dialog.waitFor({ state: 'detached' })
}

test('the log shows lines of the service as they are written, by process and text, and can be held', async () => {
  await page.goto(await newAddress())
  await overview(page)
  await page.getByRole('link', { name: 'Log', exact: true }).click()
  await page.getByLabel('Process').selectOption('operator')
  await page.getByLabel('Search the log').fill('signed in')
  const lines = page.locator('main tbody tr')
  await lines.filter({ hasText: 'an operator has signed in' }).first().waitFor()
  await expect.poll(() => lines.filter({ hasNotText: 'signed in' }).count()).toBe(0)
  const { searchParams } = new URL(page.url())
  expect([searchParams.get('service'), searchParams.get('text')]).toEqual(['operator', 'signed in'])
  const before = await lines.count()
  const other = await (await newContext(browser)).newPage()
  await other.goto(await newAddress())
  await overview(other)
  await expect.poll(() => lines.count()).toBe(before + 1)
  await page.getByLabel('Read again every two seconds').uncheck()
  await page.reload()
  expect(await page.getByLabel('Read again every two seconds').isChecked()).toBe(false)
  await page.getByLabel('Search the log').fill('no such line')
  await page.getByText('No such line is among the newest ones.').waitFor()
  expect(faults).toEqual([])
})

test('a read-only sign-in sees everything and may do no act', async () => {
  await page.goto(await newAddress('--read-only'))
  await overview(page)
  await page.getByRole('link', { name: 'Builds' }).click()
  const stop = page.getByRole('button', { name: 'Refuse new builds' })
  expect(await stop.getAttribute('aria-disabled')).toBe('true')
  const { method, path } = operatorRoutes.stopBuilds
  const headers = { 'content-type': 'application/json', 'x-sandbox-console': '1' }
  const body = JSON.stringify({ reason: 'why', minutes: 5 })
  const sent = `fetch('${path}', ${JSON.stringify({ method, headers, body })}).then((answer) => answer.json())`
  expect(await page.evaluate(sent)).toMatchObject({ detail: { code: 'operator_read_only' } })
  await page.getByText('No build is at work or waits.').waitFor()
})

test('what an operator reads about companies is text in every screen and dialog', async () => {
  const names = [hostileName.name, ...storedTexts]
  const answers: Record<string, object> = {
    [operatorRoutes.listCompanies.path]: {
      items: names.map((name, index) => ({ id: `cmp_${index}`, name })),
      is_cut: false,
    },
    [operatorRoutes.listActs.path]: {
      items: names.map((text, index) => ({
        ...{ sequence: names.length - index, done_at: quiet.at, account: text, act: 'company_set' },
        ...{ subject: text, details: { reason: text, [text]: text } },
      })),
      ...{ next_before: null, broken_at: null },
    },
    [operatorRoutes.listRuns.path]: { active: workOf(names), waiting: workOf(names) },
    [operatorRoutes.listBuilds.path]: { refused_until: null, builds: workOf(names) },
    [operatorRoutes.readNetwork.path]: {
      companies: names.map((company, index) => ({
        ...{ company_id: `cmp_${index}`, company, received_bytes: 1, sent_bytes: 2, refused_runs: 3 },
      })),
      ...{ since: '2026-01-01', is_cut: true },
    },
    [operatorRoutes.readLog.path]: {
      items: names.map((text) => ({
        ...{ at: quiet.at, service: 'api', level: 'info', text, fields: { slug: text } },
      })),
    },
  }
  for (const [path, json] of Object.entries(answers))
    await page.route(
      (url) => url.pathname === path,
      (route) => route.fulfill({ json }),
    )
  await page.goto(await newAddress())
  await overview(page)
  for (const path of ['companies', 'runs', 'builds', 'network', 'log', 'acts']) {
    await page.goto(`http://127.0.0.1:${port}/operator/${path}`)
    await page.getByText(hostileName.shown).first().waitFor()
    expect([path, await tracesOf(page)]).toEqual([path, []])
  }
  const company = operatorRoutes.readCompany.path.replace('{id}', 'cmp_1')
  await page.route(`**${company}`, (route) => route.fulfill({ json: companyNamed(names.join(' ')) }))
  const keys = names.map((name, index) => ({
    ...{ id: `gwk_${index}`, company_id: 'cmp_1', name, created_at: quiet.at },
    ...{ revoked_at: null, last_used_at: null },
  }))
  await page.route(`**${company}/gateway-keys`, (route) => route.fulfill({ json: { items: keys } }))
  await page.goto(`http://127.0.0.1:${port}/operator/companies/cmp_1`)
  await page.getByLabel('Waiting runs', { exact: true }).fill('7')
  await page.getByRole('button', { name: 'Change limits' }).click()
  await page.getByRole('dialog').getByText(hostileName.shown).first().waitFor()
  expect(await tracesOf(page)).toEqual([])
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Revoke the key' }).first().click()
  await page.getByRole('dialog').getByText(hostileName.shown).first().waitFor()
  expect(await tracesOf(page)).toEqual([])
  expect(faults).toEqual([])
})

const workOf = (companies: readonly string[]) => ({
  items: companies.map((company, index) => ({
    ...{ id: `run_${index}`, company_id: `cmp_${index}`, company, state: 'queued', profile: 'standard' },
    ...{ seconds: 90, stage: 'customer_build' },
  })),
  is_cut: true,
})

const companyNamed = (name: string): OperatedCompany => ({
  ...{ id: 'cmp_1', name },
  work: { runs_active: 1, runs_queued: 2, oldest_queued_run: 3, builds_active: 4, builds_queued: 5 },
  storage: { kept_bytes: 2 ** 40, limit_bytes: null },
  queued_run_limit_max: 20,
  limits: {
    ...{ runtime_egress_enabled: true, timeout_ceiling_seconds: 60, active_environment_limit: 10 },
    ...{ capacity_retained_version_limit: 5, run_concurrency_limit: 50, run_timeout_bound_seconds: null },
    ...{ queued_run_limit: 20, active_build_limit: 2, queued_build_limit: 20, kept_bytes_limit: null },
    network_cache_days: 7,
  },
  budget: {
    ...{ company_id: 'cmp_1', month: '2026-01', limit: '10.000000', held: '0.000000', spent: '1.000000' },
    budgets: [{ month: '2026-01', recurring: true, amount: '10.000000' }],
  },
})

test('the overview shows a failed request, retries it, and names a process that does not answer', async () => {
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

test('each screen shows that its request failed, and retries it', async () => {
  await page.goto(await newAddress())
  await overview(page)
  const paths = [
    'companies',
    'companies/cmp_1',
    'runs',
    'builds',
    'images',
    'network',
    'prices',
    'log',
    'acts',
  ]
  for (const path of paths) {
    let fails = true
    const isOfScreen = ({ pathname }: URL) =>
      pathname.startsWith('/operator/api/') && pathname !== operatorRoutes.readState.path
    await page.route(isOfScreen, (route) =>
      fails ? route.fulfill({ status: 409, json: { detail: 'No.' } }) : route.fallback(),
    )
    await page.goto(`http://127.0.0.1:${port}/operator/${path}`)
    await page.getByText('No.', { exact: true }).waitFor()
    fails = false
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('No.', { exact: true }).waitFor({ state: 'detached' })
    await page.unroute(isOfScreen)
  }
  await page.goto(`http://127.0.0.1:${port}/operator/companies/cmp_1`)
  await page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor()
})

test('companies are searched by name, by the keyboard', async () => {
  await page.goto(await newAddress())
  await overview(page)
  await page.getByRole('link', { name: 'Companies' }).click()
  await page.locator('main tbody a').first().waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('no such company')
  await page.getByText('No company has this name.').waitFor()
  expect(page.url()).toContain('name=no')
  expect(faults).toEqual([])
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
  const sections = ['companies', 'runs', 'builds', 'images', 'network', 'prices', 'log', 'acts']
  const screens = [...sections, await companyPath(own)]
  const open = async (path: string) => {
    await own.goto(`http://127.0.0.1:${port}/operator/${path}`)
    await waitForScreen(own)
  }
  const openDialog = async () => {
    await own.locator('main header button').last().click()
    await own.getByRole('dialog').waitFor()
  }
  for (const path of screens) {
    await open(path)
    found.push(...(await faultsOf(own, path)))
    expect([path, (await firstLoadOf(own)) < firstLoadMaxKibibytes]).toEqual([path, true])
  }
  await open('builds')
  await openDialog()
  found.push(...(await faultsOf(own, 'dialog')))
  await open('')
  await own.getByRole('button', { name: 'Your sign-in' }).click()
  await own.getByRole('menuitemradio', { name: 'Deutsch' }).click()
  await own.getByRole('heading', { level: 1, name: 'Übersicht' }).waitFor()
  await own.setViewportSize({ width: 360, height: 800 })
  for (const path of ['', ...screens, 'builds']) {
    await open(path)
    found.push(...(await excessOf(own, `${path} in German`)))
  }
  await openDialog()
  found.push(...(await excessOf(own, 'dialog in German')))
  await own.keyboard.press('Escape')
  await own.getByRole('button', { name: 'Mehr', exact: true }).click()
  await own.getByRole('link', { name: 'Netz' }).click()
  await own.getByRole('heading', { level: 1, name: 'Netz' }).waitFor()
  await own.getByRole('link', { name: 'Netz' }).waitFor({ state: 'hidden' })
  expect(found).toEqual([])
})

/** The address of the screen of a company, below that of the console. */
async function companyPath(own: Page): Promise<string> {
  await own.goto(`http://127.0.0.1:${port}/operator/companies`)
  const address = await own.locator('main tbody a').first().getAttribute('href')
  return (address ?? '').replace('/operator/', '')
}
