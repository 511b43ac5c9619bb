import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openService } from '../main-job/shared-service.ts'
import { publish } from '../main-job/tenant.ts'
import { newContext, openPage, signIn, startBrowser } from './console-browser.ts'
import { type ConsoleWorld, makeConsoleWorld } from './console-world.ts'

/** A manager of a room makes a schedule, sees its run, pauses and deletes it. */
let world: ConsoleWorld
let browser: Browser
let page: Page
let faults: string[]
let taskId: string
const name = 'each minute'

beforeAll(async () => {
  world = await makeConsoleWorld(await openService())
  const { tenant, environmentVersion } = world
  const version = await publish(tenant, {
    environmentVersion,
    workScript: 'echo {} >"$SERVICE_OUTPUT_FILE"',
  })
  const { items } = await tenant.client.call(allRoutes.readMenu, { params: { cid: tenant.room } })
  taskId = items.find(({ task_version_id }) => task_version_id === version)?.task_id ?? ''
  browser = await startBrowser()
  ;({ page, faults } = await openPage(await newContext(browser)))
  await page.goto(`${world.service.url}/console/chatrooms/${tenant.room}/schedules`)
  await signIn(page, world.service.user, world.service.password)
  await page.getByRole('heading', { level: 1, name: 'Schedules of daily-numbers' }).waitFor()
})
afterAll(async () => {
  await browser?.close()
  await world?.service.stop()
})

test('the form shows the next five times as they are typed, and the reason for which it cannot', async () => {
  await page.getByRole('link', { name: 'Make a schedule' }).click()
  await page.getByLabel('Task').selectOption(taskId)
  const preview = page.getByRole('region', { name: 'Next times and price' })
  await page.getByLabel('When').fill('0 8 30 feb *')
  await preview.getByText('names no day that there is').waitFor()
  await page.getByLabel('When').fill('* * * * *')
  await preview.getByText('43,200 runs within 30 days').waitFor()
  expect(await preview.getByRole('list', { name: 'Next times' }).getByRole('listitem').count()).toBe(5)
})

test('a schedule starts a run, which its row leads to', async () => {
  await page.getByLabel('Name').fill(name)
  await page.getByRole('button', { name: 'Make a schedule' }).click()
  await page.getByText('Last runs').click()
  const run = page.getByRole('link', { name: 'Run', exact: true })
  await run.waitFor({ timeout: 150_000 })
  await run.click()
  await page.getByText('Completed').first().waitFor()
})

test('it is changed, with the next times shown before, and only what was changed is sent', async () => {
  const { client, room } = world.tenant
  await page.goto(`${world.service.url}/console/chatrooms/${room}/schedules`)
  await page.getByRole('link', { name: `Change ${name}` }).press('Enter')
  await page.getByRole('heading', { level: 1, name: `Change ${name}` }).waitFor()
  const save = page.getByRole('button', { name: 'Save' })
  await expect.poll(() => save.getAttribute('aria-disabled')).toBe('true')
  await page.getByLabel('When').fill('0 8 30 feb *')
  await save.click()
  await page.getByText('names no day that there is').first().waitFor()
  await page.getByLabel('When').fill('30 7 * * *')
  const preview = page.getByRole('region', { name: 'Next times and price' })
  await preview.getByText('30 runs within 30 days').waitFor()
  await page.getByLabel('Times that the service misses').selectOption('once')
  const sent = page.waitForRequest((request) => request.method() === 'PATCH')
  await save.press('Enter')
  expect((await sent).postDataJSON()).toEqual({ cron: '30 7 * * *', missed: 'once' })
  await page.getByRole('heading', { level: 1, name: 'Schedules of daily-numbers' }).waitFor()
  const { items } = await client.call(allRoutes.listSchedules, { params: { cid: room } })
  expect(items).toMatchObject([{ name, cron: '30 7 * * *', missed: 'once', paused_because: null }])
})

test('it is paused, resumed and deleted', async () => {
  await page.goto(`${world.service.url}/console/chatrooms/${world.tenant.room}/schedules`)
  await page.getByRole('button', { name: `Pause ${name}` }).click()
  await page.getByText('Paused', { exact: true }).waitFor()
  await page.getByRole('button', { name: `Resume ${name}` }).click()
  await page.getByRole('button', { name: `Delete ${name}` }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('No task of this room runs by a schedule.').waitFor()
  // The browser writes down that the service refused a preview.
  expect(faults.filter((fault) => !fault.includes('422'))).toEqual([])
})
