import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openService } from '../main-job/shared-service.ts'
import { newContext, openPage, signIn, startBrowser } from './console-browser.ts'
import { type ConsoleWorld, makeConsoleWorld } from './console-world.ts'

/** The manager of a room opens a door for a platform, whose program runs in the room. */
let world: ConsoleWorld
let browser: Browser
let page: Page
let faults: string[]
let address: string
let key: string

const runsProgram = (withKey: string) =>
  fetch(`${address}/v1/sandbox/run`, {
    method: 'POST',
    headers: { 'x-api-key': withKey, 'content-type': 'application/json' },
    body: JSON.stringify({ language: 'python3', code: 'print(6 * 7)' }),
  })

beforeAll(async () => {
  world = await makeConsoleWorld(await openService(), `gate-${Date.now()}`)
  const { service, tenant } = world
  browser = await startBrowser()
  ;({ page, faults } = await openPage(await newContext(browser)))
  await page.goto(`${service.url}/console/chatrooms/${tenant.room}`)
  await signIn(page, service.user, service.password)
  await page.getByRole('link', { name: 'Doors', exact: true }).click()
})
afterAll(async () => {
  await browser?.close()
  await world?.service.stop()
})

test('a new door asks for what it needs, and shows its key once', async () => {
  await page.getByRole('button', { name: 'New door' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('Dify')
  await dialog.getByRole('button', { name: 'New door' }).click()
  await dialog.getByText('Fill this in.').first().waitFor()
  await dialog.getByRole('textbox', { name: 'Name of the language' }).fill('python3')
  await dialog.getByRole('combobox', { name: 'Environment' }).selectOption({ label: world.job })
  await dialog.getByRole('button', { name: 'New door' }).click()
  address = await dialog.getByRole('textbox', { name: 'Address' }).inputValue()
  key = await dialog.getByRole('textbox', { name: 'Key' }).inputValue()
  expect(new URL(address).pathname).toBe('/doors/dify')
  await dialog.getByRole('button', { name: 'Close' }).click()
  await page.getByText('never used').waitFor()
  expect(await page.content()).not.toContain(key)
})

test('a program of the platform runs by the door', async () => {
  const answer = await runsProgram(key)
  expect([answer.status, await answer.json()]).toMatchObject([200, { data: { stdout: '42\n' } }])
  expect((await runsProgram(`${key.slice(0, -1)}${key.endsWith('A') ? 'B' : 'A'}`)).status).toBe(401)
})

test('a name that a door has already is refused in words', async () => {
  await page.getByRole('button', { name: 'New door' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('Dify')
  await dialog.getByRole('textbox', { name: 'Name of the language' }).fill('python3')
  await dialog.getByRole('combobox', { name: 'Environment' }).selectOption({ label: world.job })
  await dialog.getByRole('button', { name: 'New door' }).click()
  await dialog.getByRole('alert').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
})

test('a door that is removed is closed', async () => {
  await page.getByRole('button', { name: 'Remove Dify' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click()
  await page.getByText('This room has no door.').waitFor()
  expect((await runsProgram(key)).status).toBe(401)
})

test('messages about the ends of runs are switched on and stay so', async () => {
  await page.getByRole('link', { name: 'Notifications' }).last().click()
  const box = page.getByRole('checkbox', { name: 'Post a message in the room when a run ends' })
  await box.click()
  await expect.poll(() => box.isChecked()).toBe(true)
  await page.reload()
  await box.waitFor()
  expect(await box.isChecked()).toBe(true)
})

test('the browser reported no error and no refusal by the policy of the page', () => {
  expect(faults).toEqual([])
})
