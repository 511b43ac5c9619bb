import { readFile } from 'node:fs/promises'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openService } from '../main-job/shared-service.ts'
import { ended, exampleFile, runWhen, submit } from '../main-job/tenant.ts'
import { newContext, openPage, signIn, startBrowser } from './console-browser.ts'
import { type ConsoleWorld, makeConsoleWorld } from './console-world.ts'

/** A manager of the company sees what its runs and builds used, and what it keeps on disk. */
let world: ConsoleWorld
let browser: Browser
let page: Page
let faults: string[]

beforeAll(async () => {
  world = await makeConsoleWorld(await openService())
  const { tenant, version, service } = world
  const { id } = await submit(tenant, version, JSON.parse(await exampleFile('input.json')))
  await runWhen(tenant, id, ended)
  browser = await startBrowser()
  ;({ page, faults } = await openPage(await newContext(browser)))
  await page.goto(`${service.url}/console/company`)
  await signIn(page, service.user, service.password)
  await page.getByRole('heading', { level: 1, name: 'Usage' }).waitFor()
})
afterAll(async () => {
  await browser?.close()
  await world?.service.stop()
})

const table = () => page.locator('table')

test('the report is by task, with a chart by day beside it', async () => {
  await table().getByRole('cell', { name: world.job }).first().waitFor()
  await page.getByRole('img', { name: 'by day from' }).waitFor()
  await page.getByText('Limit', { exact: true }).waitFor()
})

test('another dimension and other days are in the address', async () => {
  await page.getByLabel('By', { exact: true }).selectOption({ label: 'Room' })
  await table().getByRole('cell', { name: 'daily-numbers' }).waitFor()
  await page.reload()
  await table().getByRole('cell', { name: 'daily-numbers' }).waitFor()
  expect(new URL(page.url()).searchParams.get('by')).toBe('room')
  await page.getByLabel('From', { exact: true }).fill('2020-01-01')
  await page.getByLabel('To', { exact: true }).fill('2020-01-31')
  await page.getByText('No run and no build of these days has ended.').first().waitFor()
})

test('days that are no range are refused in words', async () => {
  const other = await openPage(page.context())
  await other.page.goto(`${world.service.url}/console/company/usage?from=2020-02-01&to=2020-01-01`)
  await other.page.getByText('must not be before from').first().waitFor()
  expect(other.faults).toEqual([])
  await other.page.close()
})

test('the report is downloaded as CSV', async () => {
  await page.goto(`${world.service.url}/console/company/usage?by=person`)
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download as CSV' }).click(),
  ])
  const [head, ...lines] = (await readFile(await download.path(), 'utf8')).trim().split('\n')
  expect(head).toContain('day')
  expect(lines.length).toBeGreaterThan(0)
})

test('storage names kinds and the versions that keep the most', async () => {
  await page.getByRole('link', { name: 'Storage' }).click()
  await table().getByRole('cell', { name: 'Images', exact: true }).waitFor()
  await page.getByRole('link', { name: 'Version 1' }).first().click()
  await page.getByRole('heading', { level: 1, name: 'Version 1 of' }).waitFor()
})

test('the browser reported no error and no refusal by the policy of the page', () => {
  expect(faults).toEqual([])
})
