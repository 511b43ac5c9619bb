import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openService } from '../main-job/shared-service.ts'
import { logOf, publish } from '../main-job/tenant.ts'
import { newContext, openPage, signIn, startBrowser, waitForScreen } from './console-browser.ts'
import { type ConsoleWorld, makeConsoleWorld } from './console-world.ts'

const slot = 'API_TOKEN'
/** Two lines, as keys have them. */
const value = 'canary-of-the-console\nsecond line'
const otherValue = 'another canary of the console'

/** A manager of a room stores a secret that one of its jobs needs, runs the job with it, and removes it. */
let world: ConsoleWorld
let browser: Browser
let page: Page
let faults: string[]
let taskId: string
/** Bodies and addresses of all requests of the page. */
const sent: string[] = []

beforeAll(async () => {
  world = await makeConsoleWorld(await openService())
  const { tenant, environmentVersion } = world
  const version = await publish(tenant, {
    environmentVersion,
    // With an output: the service answers 404 for that of a run without one, which the browser reports.
    workScript: `printf %s "$${slot}" | sha256sum; printf %s "$${slot}" | wc -l; echo {} >"$SERVICE_OUTPUT_FILE"`,
    draft: { secret_slot_declarations: [slot] },
  })
  const { items } = await tenant.client.call(allRoutes.readMenu, { params: { cid: tenant.room } })
  taskId = items.find(({ task_version_id }) => task_version_id === version)?.task_id ?? ''
  browser = await startBrowser()
  ;({ page, faults } = await openPage(await newContext(browser)))
  page.on('request', (request) => sent.push(request.url(), request.postData() ?? ''))
  await page.goto(`${world.service.url}/console/chatrooms/${tenant.room}`)
  await signIn(page, world.service.user, world.service.password)
  await page.getByRole('link', { name: 'Store it' }).waitFor()
})
afterAll(async () => {
  await browser?.close()
  await world?.service.stop()
})

/** Everything in which a page keeps texts, and all that it has sent. */
const kept = async (): Promise<string> =>
  (await page.evaluate<string>(
    'document.documentElement.outerHTML + JSON.stringify({ ...localStorage }) + JSON.stringify({ ...sessionStorage }) + [...document.querySelectorAll("input, textarea")].map(({ value }) => value)',
  )) + sent.join('\n')

async function runJob(): Promise<string> {
  const { tenant, service } = world
  await page.goto(`${service.url}/console/chatrooms/${tenant.room}/run/${taskId}`)
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page.getByText('Completed').first().waitFor()
  const [, rid = ''] = /runs\/(run_\w+)/.exec(page.url()) ?? []
  return logOf(tenant, rid)
}

test('a job whose secret is missing leads to where it is stored', async () => {
  await page.getByRole('link', { name: 'Store it' }).click()
  await page.getByRole('heading', { level: 1, name: 'Secrets of daily-numbers' }).waitFor()
  await page.getByText('Not stored', { exact: true }).waitFor()
})

test('a value that the service would refuse is refused in words, and nothing is sent', async () => {
  await page.getByRole('button', { name: `Store a value of ${slot}` }).click()
  await page.getByRole('textbox', { name: 'Value' }).fill('abc')
  await page.getByRole('button', { name: 'Encrypt and store' }).click()
  await page.getByText('A value has at least 4 bytes.').waitFor()
})

test('a value is encrypted in the page, and a job gets exactly it', async () => {
  await page.getByRole('textbox', { name: 'Value' }).fill(value)
  await page.getByRole('button', { name: 'Encrypt and store' }).click()
  await page.getByText('Stored, value 1').waitFor()
  expect(await kept()).not.toContain('canary')
})

test('runs get it when the version is approved', async () => {
  await page.getByText('may not use these values yet').waitFor()
  await page.getByRole('button', { name: 'Approve' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click()
  await page.getByText('Version 1 may use these values.').waitFor()
  const bytes = new TextEncoder().encode(value)
  const digest = Buffer.from(await crypto.subtle.digest('SHA-256', bytes)).toString('hex')
  expect(await runJob()).toMatch(new RegExp(`${digest}[^]*^1$`, 'm'))
})

test('a value is replaced', async () => {
  await page.goto(`${world.service.url}/console/chatrooms/${world.tenant.room}/manage/secrets`)
  await page.getByRole('button', { name: `Replace the value of ${slot}` }).click()
  await page.getByRole('textbox', { name: 'Value' }).fill(otherValue)
  await page.getByRole('button', { name: 'Encrypt and store' }).click()
  await page.getByText('Stored, value 2').waitFor()
  expect(await kept()).not.toContain('canary')
})

test('a value of the company is one of its own', async () => {
  await page.getByRole('link', { name: 'The company' }).click()
  await page.getByText('Not stored here').waitFor()
  expect(new URL(page.url()).search).toBe('?for=company')
  await page.getByRole('link', { name: 'This room' }).click()
  await page.getByText('Stored, value 2').waitFor()
})

test('a removed value is gone, and the job says so', async () => {
  await page.getByRole('button', { name: `Remove the value of ${slot}` }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click()
  await page.getByText('Not stored', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'Jobs', exact: true }).click()
  await page.getByText(`Cannot run: ${slot} is not stored yet.`).waitFor()
  expect(await page.locator(`a[href$="/run/${taskId}"]`).count()).toBe(0)
})

const forManagers = ['manage/jobs', 'manage/secrets', 'manage/doors', 'manage/notifications', 'schedules/new']

test.each(forManagers)('%s is not there in a room that the person does not manage', async (path) => {
  const other = await page.context().newPage()
  await other.goto(`${world.service.url}/console/chatrooms/roo_${'0'.repeat(32)}/${path}`)
  await other.getByRole('heading', { level: 1, name: 'Not found' }).waitFor()
  await other.close()
})

test.each(forManagers)('%s says that the rooms could not be read', async (path) => {
  const other = await page.context().newPage()
  let fails = true
  await other.route(`**${allRoutes.listOwnChatrooms.path}?*`, (route) =>
    fails ? route.fulfill({ status: 409, json: { detail: 'No.' } }) : route.fallback(),
  )
  await other.goto(`${world.service.url}/console/chatrooms/${world.tenant.room}/${path}`)
  await other.getByText('No.', { exact: true }).waitFor()
  fails = false
  await other.getByRole('button', { name: 'Try again' }).click()
  await other.getByText('No.', { exact: true }).waitFor({ state: 'detached' })
  await waitForScreen(other)
  await other.close()
})

test('the browser reported no error and no refusal by the policy of the page', () => {
  expect(faults).toEqual([])
})
