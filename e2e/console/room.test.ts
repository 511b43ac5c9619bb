import { readFile } from 'node:fs/promises'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openService } from '../main-job/shared-service.ts'
import { newContext, openPage, signIn, startBrowser } from './console-browser.ts'
import { type ConsoleWorld, makeConsoleWorld } from './console-world.ts'

/** The files of a room, its sessions with theirs, and a script that runs once. */
let world: ConsoleWorld
let browser: Browser
let page: Page
let faults: string[]

beforeAll(async () => {
  world = await makeConsoleWorld(await openService(), 'room-parts')
  browser = await startBrowser()
  ;({ page, faults } = await openPage(await newContext(browser)))
  await page.goto(`${world.service.url}/console/chatrooms/${world.tenant.room}`)
  await signIn(page, world.service.user, world.service.password)
  await page.getByRole('heading', { level: 1, name: 'daily-numbers' }).waitFor()
})
afterAll(async () => {
  await browser?.close()
  await world?.service.stop()
})

const part = (name: string) =>
  page.getByRole('navigation', { name: 'Parts of the room' }).getByRole('link', { name, exact: true })
const confirm = () => page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
const file = (name: string, text: string) => ({
  name,
  mimeType: 'text/csv',
  buffer: Buffer.from(text),
})

test('a file of the room is uploaded and deleted', async () => {
  await part('Files').click()
  await page.getByText('No file has been uploaded here.').waitFor()
  await page.getByLabel('Upload files').setInputFiles([file('march.csv', 'a,b\n'), file('april.csv', 'c\n')])
  const row = (name: string) => page.getByRole('listitem').filter({ hasText: name })
  await row('march.csv').waitFor()
  await row('april.csv').waitFor()
  await page.getByRole('button', { name: 'Delete march.csv' }).click()
  await confirm()
  await row('march.csv').waitFor({ state: 'hidden' })
})

test('a session is made, and its files are those of its folders', async () => {
  await part('Sessions').click()
  await page.getByText('You have no session here.').waitFor()
  await page.getByRole('button', { name: 'Make a session' }).click()
  await page.getByLabel('Name').fill('sales analysis')
  await page.getByRole('dialog').getByRole('button', { name: 'Make a session' }).click()
  await page.getByRole('heading', { level: 1, name: 'sales analysis' }).waitFor()
  await page.getByText('Nothing is in it.').waitFor()
  await page.goto(`${page.url()}?path=data`)
  await page.getByLabel('Upload files here').setInputFiles(file('sales.csv', 'month,sum\n'))
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download sales.csv' }).click(),
  ])
  expect(await readFile(await download.path(), 'utf8')).toBe('month,sum\n')
  await page.getByRole('link', { name: 'The whole session' }).click()
  await page.locator('main').getByRole('link', { name: 'data', exact: true }).waitFor()
  await page.getByRole('button', { name: 'Delete data' }).click()
  await confirm()
  await page.getByText('Nothing is in it.').waitFor()
  await page.getByRole('button', { name: 'Delete sales analysis' }).click()
  await confirm()
  await page.getByText('You have no session here.').waitFor()
})

test('a script runs once, and what is wrong in the form is said there', async () => {
  await part('Quick run').click()
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page.getByText('Choose the environment that it runs on.').waitFor()
  await page.getByLabel('Name').fill('count')
  await page.getByLabel('Environment').selectOption({ label: 'room-parts' })
  await page.getByLabel('Script').fill('echo "counted once" >"$SERVICE_OUTPUT_FILE"')
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page.getByText('Completed').first().waitFor()
  await page.getByText('counted once', { exact: true }).first().waitFor()
})

test('the content of a run is deleted after a question', async () => {
  await page.getByRole('button', { name: 'Delete the content' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete the content' }).click()
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  await page.getByRole('link', { name: 'Input', exact: true }).click()
  await page.getByText('The input of this run has been deleted.').waitFor()
})

test('the browser reported no error and no refusal by the policy of the page', () => {
  expect(faults.filter((fault) => !fault.includes('status of 404'))).toEqual([])
})
