import { readFile } from 'node:fs/promises'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Service } from '../main-job/service.ts'
import { openService } from '../main-job/shared-service.ts'
import { logIn, type Tenant } from '../main-job/tenant.ts'
import { newContext, openPage, signIn, startBrowser, waitForScreen } from './console-browser.ts'

const password = 'correct horse battery'

/** An administrator sets up webhooks and settings, and an auditor reads what was changed. */
let service: Service
let tenant: Tenant
let browser: Browser
let page: Page
let faults: string[]

beforeAll(async () => {
  service = await openService()
  tenant = await logIn(service)
  browser = await startBrowser()
  ;({ page, faults } = await openPage(await newContext(browser)))
  await page.goto(`${service.url}/console/company/webhooks`)
  await signIn(page, service.user, service.password)
  await page.getByText('There is no webhook yet.').waitFor()
})
afterAll(async () => {
  await browser?.close()
  await service?.stop()
})

const dialogButton = (name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true })

/** A change is in the log about a second after it. */
const openUntilThere = async (shown: Page, action: string): Promise<void> => {
  await expect
    .poll(async () => {
      await shown.reload()
      await waitForScreen(shown)
      return shown.getByRole('cell', { name: action }).count()
    })
    .toBeGreaterThan(0)
}

test('a webhook is made, and its secret is shown once', async () => {
  await page.getByRole('link', { name: 'New webhook' }).click()
  await page.getByLabel('Address').fill('example.org')
  await page.getByRole('button', { name: 'New webhook' }).click()
  await page.getByText('Write an address that begins with https://').waitFor()
  await page.getByLabel('Address').fill('http://127.0.0.1/hooks')
  await page.getByRole('button', { name: 'New webhook' }).click()
  await page.getByRole('alert').waitFor()
  await page.getByLabel('Address').fill('https://example.org/hooks')
  await page.getByRole('checkbox', { name: 'run_terminal' }).check()
  await page.getByRole('button', { name: 'New webhook' }).click()
  await page.getByRole('heading', { level: 1, name: 'The webhook is made' }).waitFor()
  const secret = await page.getByRole('textbox', { name: 'Signing secret' }).inputValue()
  expect(secret).toMatch(/^whsec_/)
  await page.getByRole('link', { name: 'Show the webhook' }).click()
  await page.getByText('Nothing was posted yet.').waitFor()
  expect(await page.getByText('Paused since').count()).toBe(0)
  expect(await page.content()).not.toContain(secret)
})

test('a webhook is paused and resumed, gets another secret, and is removed', async () => {
  await page.getByRole('button', { name: 'Send a test' }).click()
  await page.getByRole('cell', { name: 'test', exact: true }).waitFor()
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByText('Paused', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByText('Active', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'New secret' }).click()
  await dialogButton('New secret').click()
  await page.getByRole('textbox', { name: 'Signing secret' }).waitFor()
  await page.getByRole('button', { name: 'Remove' }).click()
  await dialogButton('Remove').click()
  await page.getByText('There is no webhook yet.').waitFor()
})

test('settings that somebody else has changed meanwhile stand beside those of the form', async () => {
  await page.getByRole('link', { name: 'Settings' }).click()
  const days = page.getByLabel('Days that inputs')
  await days.fill('0')
  await page.getByText('A whole number of days from 1 to').waitFor()
  await days.fill('7')
  const { policy_version, allowed_regions, unreferenced_image_retention_days } = await tenant.client.call(
    allRoutes.readSettings,
  )
  await tenant.client.call(allRoutes.updateSettings, {
    body: {
      run_content_retention_days: 9,
      unreferenced_image_retention_days,
      allowed_regions,
      policy_version,
    },
  })
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Somebody else has changed the settings').waitFor()
  await page.getByText('Stored now: 9').waitFor()
  expect(await days.inputValue()).toBe('7')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('It is saved.').waitFor()
  const stored = await tenant.client.call(allRoutes.readSettings)
  expect(stored.run_content_retention_days).toBe(7)
})

test('the audit log leads from an entry to others of its actor, and is downloaded', async () => {
  await page.getByRole('link', { name: 'Audit log' }).click()
  await openUntilThere(page, 'updateSettings')
  await page.getByRole('row', { name: 'updateSettings' }).first().getByRole('link').nth(1).click()
  await page.getByRole('button', { name: 'Clear filters' }).waitFor()
  expect(new URL(page.url()).searchParams.get('actor')).toMatch(/^usr_/)
  await page.getByRole('cell', { name: 'createWebhook' }).first().waitFor()
  await page.getByRole('link', { name: 'createWebhook' }).first().click()
  await page.getByRole('link', { name: 'updateSettings' }).first().waitFor({ state: 'detached' })
  expect(await page.getByLabel('Action').inputValue()).toBe('createWebhook')
  await page.getByLabel('To', { exact: true }).fill('2020-01-01T00:00')
  await page.getByText('No entry matches.').waitFor()
  await page.getByRole('button', { name: 'Clear filters' }).click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download as JSON lines' }).click(),
  ])
  const [head = ''] = (await readFile(await download.path(), 'utf8')).split('\n')
  expect(JSON.parse(head)).toMatchObject({ head: { sequence: expect.any(Number) as number } })
})

test('an environment without findings is not among the findings', async () => {
  await page.getByRole('link', { name: 'Findings' }).click()
  await page.getByText('No environment has an open finding.').waitFor()
})

test('a manager of the company sees neither people nor the audit log', async () => {
  const body = { login: `max-${service.user}`, password, role: 3 }
  await tenant.client.call(allRoutes.createUser, { body })
  const theirs = await openPage(await newContext(browser))
  await theirs.page.goto(`${service.url}/console/company`)
  await signIn(theirs.page, body.login, password)
  await theirs.page.getByRole('heading', { level: 1, name: 'Usage' }).waitFor()
  expect(
    await theirs.page.getByRole('navigation', { name: 'Company' }).getByRole('link').allTextContents(),
  ).toEqual(['Usage', 'Webhooks', 'Settings', 'Storage', 'Findings'])
  for (const part of ['people', 'keys/new', 'audit']) {
    await theirs.page.goto(`${service.url}/console/company/${part}`)
    await theirs.page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor()
  }
  expect(theirs.faults).toEqual([])
  await theirs.page.context().close()
})

test('an auditor comes to the audit log, and sees nothing else', async () => {
  const body = { login: `ron-${service.user}`, password, role: 0 }
  await tenant.client.call(allRoutes.createUser, { body })
  const theirs = await openPage(await newContext(browser))
  await theirs.page.goto(`${service.url}/console/`)
  await signIn(theirs.page, body.login, password)
  await theirs.page.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor()
  await openUntilThere(theirs.page, 'createUser')
  expect(
    await theirs.page.getByRole('navigation', { name: 'Sections' }).getByRole('link').allTextContents(),
  ).toEqual(['Company'])
  expect(theirs.faults).toEqual([])
  await theirs.page.context().close()
})

test('the browser reported no error and no refusal by the policy of the page', () => {
  expect(faults).toEqual([])
})
