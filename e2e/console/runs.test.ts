import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OwnService, startService } from '../main-job/service.ts'
import { ended, exampleFile, publish, runWhen, submit } from '../main-job/tenant.ts'
import { newContext, openPage, signIn, startBrowser } from './console-browser.ts'
import { type ConsoleWorld, makeConsoleWorld } from './console-world.ts'
import { copyRun } from './copy-run.ts'

/** A list with more runs than a page of the API has, and what is done to several of them. */
const copies = 1300

let world: ConsoleWorld
let service: OwnService
let browser: Browser
let page: Page
let faults: string[]

beforeAll(async () => {
  service = await startService()
  world = await makeConsoleWorld(service)
  const { tenant } = world
  const { id } = await runOnce()
  await runWhen(tenant, id, ended)
  await copyRun(service.dataDir, { id, companyId: tenant.companyId }, copies)
  browser = await startBrowser()
  ;({ page, faults } = await openPage(await newContext(browser)))
  await page.goto(`${service.url}/console/runs`)
  await signIn(page, service.user, service.password)
  await row(0).waitFor()
})
afterAll(async () => {
  await browser?.close()
  await service?.stop()
})

const runOnce = async () => submit(world.tenant, world.version, JSON.parse(await exampleFile('input.json')))
const list = () => page.getByRole('grid', { name: 'Runs' })
/** The row at a place, once its run is read. */
const row = (at: number) => page.locator(`[role="row"][aria-rowindex="${at + 2}"]:has(a)`)
const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })

test('any part of the list is read when it comes into view', async () => {
  await page.getByText(`${(copies + 1).toLocaleString('en')} runs`).waitFor()
  await list().press('End')
  await row(copies).waitFor()
  expect(await list().locator('[role="row"]').count()).toBeLessThan(60)
})

test('new runs wait behind a button while another part is in view, and move no row', async () => {
  const last = await row(copies).getByRole('link').getAttribute('href')
  const { id } = await runOnce()
  await button('1 new run').waitFor()
  expect(await row(copies).getByRole('link').getAttribute('href')).toBe(last)
  await button('1 new run').click()
  await row(0).locator(`a[href$="${id}"]`).waitFor()
  await runWhen(world.tenant, id, ended)
})

test('new runs are shown at once while the top is in view', async () => {
  const { id } = await runOnce()
  await row(0).locator(`a[href$="${id}"]`).waitFor()
  await row(0).getByText('Completed').waitFor()
})

test('keys go through the rows, choose some and open one', async () => {
  for (const key of ['j', 'j', 'k', 'x', 'j', 'j', 'Shift+X']) await page.keyboard.press(key)
  await page.getByText('3 runs chosen').waitFor()
  expect(await row(1).getByRole('checkbox').isChecked()).toBe(true)
  await page.keyboard.press('Escape')
  await page.getByText('3 runs chosen').waitFor({ state: 'hidden' })
  const address = await row(2).getByRole('link').getAttribute('href')
  await page.keyboard.press('Enter')
  await page.waitForURL(`**${address}`)
  await page.getByText('best_product').waitFor()
  await page.goBack()
  await row(0).waitFor()
})

test('all runs that match are cancelled, after a look at how many go on', async () => {
  const version = await publish(world.tenant, {
    environmentVersion: world.environmentVersion,
    workScript: 'sleep 200',
    timeoutSeconds: 250,
  })
  const made = await Promise.all([1, 2, 3].map(() => submit(world.tenant, version, {})))
  for (const state of ['Queued', 'Starting', 'Running']) await button(state).click()
  await page.getByText('3 runs', { exact: true }).waitFor()
  await button('Choose all 3').click()
  await button('Cancel the runs').click()
  await page.getByRole('dialog').getByText('3 runs go on.').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel the runs' }).click()
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  for (const { id } of made) expect((await runWhen(world.tenant, id, ended)).status).toBe('cancelled')
})

test('a page that cannot be read says so and is tried again', async () => {
  await page.goto(`${service.url}/console/runs`)
  await row(0).waitFor()
  await page.route(/offset=1000/, (route) =>
    route.fulfill({ status: 500, json: { detail: { code: 'internal_error', message: 'x' } } }),
  )
  await list().press('End')
  await button('Try again').waitFor()
  await page.unroute(/offset=1000/)
  await button('Try again').click()
  await row(copies).waitFor()
})

test('the browser reported no error and no refusal by the policy of the page', () => {
  expect(faults.filter((fault) => !fault.includes('status of 500'))).toEqual([])
})
