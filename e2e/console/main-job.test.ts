import { readFile } from 'node:fs/promises'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Service } from '../main-job/service.ts'
import { openService } from '../main-job/shared-service.ts'
import { ended, exampleFile, publish, runWhen, submit, type Tenant } from '../main-job/tenant.ts'
import { newContext, openPage, signIn, startBrowser, waitForScreen } from './console-browser.ts'
import { makeConsoleWorld } from './console-world.ts'
import { hostileDraft, hostileJob, hostileName, tracesOf } from './hostile-texts.ts'

const newPassword = 'another correct horse'

/** The main job as a person does it: everything by what a screen shows, in one browser, in this order. */
let service: Service
let tenant: Tenant
let browser: Browser
let page: Page
let faults: string[]
let environmentVersion: string
let version: string
let job: string
let taskId: string
let runAddress: string

beforeAll(async () => {
  ;({ service, tenant, environmentVersion, version, job, taskId } = await makeConsoleWorld(
    await openService(),
  ))
  browser = await startBrowser()
  ;({ page, faults } = await openPage(await newContext(browser)))
})
afterAll(async () => {
  await browser?.close()
  await service?.stop()
})

/** Runs a job with hostile texts everywhere, in the room of the others. */
async function runHostileJob() {
  const { client, room: cid } = tenant
  const { workScript, input, name, description, input_instructions } = hostileJob
  const hostile = await publish(tenant, { environmentVersion, workScript, draft: { input_instructions } })
  const { items } = await client.call(allRoutes.readMenu, { params: { cid } })
  const id = items.find(({ task_version_id }) => task_version_id === hostile)?.task_id ?? ''
  await client.call(allRoutes.updateTask, { params: { id }, body: { name, description } })
  const { id: rid } = await submit(tenant, hostile, input)
  await runWhen(tenant, rid, ended)
  const { id: schedule } = await client.call(allRoutes.createSchedule, {
    params: { cid },
    body: { name, task_id: id, cron: '0 0 1 1 *', time_zone: 'UTC', input: {} },
  })
  const { id: draft } = await client.call(allRoutes.createTaskVersion, {
    params: { id },
    body: { environment_version_id: environmentVersion, ...hostileDraft },
  })
  return { cid, rid, taskId: id, hostile, draft, schedule }
}

test('a wrong password is refused in words, and the right one leads to the address that was asked for', async () => {
  await page.goto(`${service.url}/console/chatrooms`)
  await signIn(page, service.user, 'not this one')
  await page.getByText('Login or password is wrong.').waitFor()
  await signIn(page, service.user, service.password)
  await page.getByRole('heading', { level: 1, name: 'Rooms' }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/console/chatrooms')
})

test('a room offers its jobs, each with a form', async () => {
  await page.getByRole('link', { name: 'daily-numbers' }).first().click()
  await page.getByRole('listitem').filter({ hasText: 'Ada' }).waitFor()
  await page.getByRole('link', { name: job }).click()
  await page.getByRole('heading', { level: 1, name: `Run ${job}` }).waitFor()
})

test('letters that are typed right behind the keys of the palette are its text, whatever still loads', async () => {
  const never = () => undefined
  await page.route('**/assets/palette*', never)
  await page.keyboard.press('Control+k')
  await page.keyboard.type('daily')
  expect(await page.getByRole('combobox', { name: 'Name, run, screen or action' }).inputValue()).toBe('daily')
  await page.keyboard.press('Escape')
  await page.unroute('**/assets/palette*', never)
})

test('an input that breaks the schema is refused with each place, and stays as it was typed', async () => {
  await page.getByRole('button', { name: 'JSON' }).click()
  await page.getByRole('textbox', { name: 'JSON' }).fill('{"rows":[{}]}')
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page.getByText('5 fields need another value').waitFor()
  expect(await page.getByRole('textbox', { name: 'JSON' }).inputValue()).toBe('{"rows":[{}]}')
})

test('a run shows its states and its result as they come', async () => {
  await page.getByRole('textbox', { name: 'JSON' }).fill(await exampleFile('input.json'))
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page.getByText('Completed').first().waitFor()
  await page.getByText('best_product').waitFor()
  runAddress = page.url()
  expect(new URL(runAddress).pathname).toMatch(/^\/console\/chatrooms\/roo_\w+\/runs\/run_\w+$/)
})

test('the log of the run is a part with an address of its own', async () => {
  await page.getByRole('link', { name: 'Log', exact: true }).click()
  await page.getByText('rows').first().waitFor()
  expect(page.url()).toBe(`${runAddress}/log`)
})

test('a file of the run is downloaded as the job wrote it', async () => {
  await page.getByRole('link', { name: 'Files', exact: true }).click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download by-month.csv' }).click(),
  ])
  expect(await readFile(await download.path(), 'utf8')).toMatch(/^month,/)
})

test('a link to the result is open to everybody who has it', async () => {
  await page.getByRole('button', { name: 'Share' }).click()
  await page.getByRole('button', { name: 'Create a link' }).click()
  const address = await page.getByRole('textbox', { name: 'page' }).inputValue()
  const stranger = await openPage(await newContext(browser))
  await stranger.page.goto(address)
  await stranger.page.getByText('by-month.csv').first().waitFor()
  expect(stranger.faults).toEqual([])
  await page.keyboard.press('Escape')
})

test('runs are found by state, and the address keeps the filter', async () => {
  await page.keyboard.press('g')
  await page.keyboard.press('r')
  await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor()
  await page.getByRole('button', { name: 'Platform failed' }).click()
  await page.getByText('No run matches these filters.').waitFor()
  await page.reload()
  await page.getByText('No run matches these filters.').waitFor()
  await page.getByRole('button', { name: 'Completed' }).click()
  await page.getByRole('link', { name: job }).waitFor()
})

test('a run that somebody else starts shows at once in every tab', async () => {
  const other = await openPage(page.context())
  const tabs = [page, other.page]
  for (const tab of tabs) {
    await tab.goto(`${service.url}/console/chatrooms/${tenant.room}`)
    await tab.getByRole('link', { name: 'All runs of this room' }).waitFor()
  }
  const { id } = await submit(tenant, version, JSON.parse(await exampleFile('input.json')))
  // Without events, a page would read its list again after twenty seconds.
  for (const tab of tabs) await tab.locator(`a[href$="/runs/${id}"]`).waitFor({ timeout: 10_000 })
  await other.page.close()
  expect(other.faults).toEqual([])
})

test('no text of a tenant becomes a script, an element or a request', async () => {
  const { cid, rid, taskId: hostileTask, hostile, draft, schedule } = await runHostileJob()
  const requests: string[] = []
  page.on('request', (request) => requests.push(request.url()))
  const ofRun = ['result', 'log', 'files', 'input'].map((tab) => `chatrooms/${cid}/runs/${rid}/${tab}`)
  const ofRoom = [
    '',
    `/run/${hostileTask}`,
    '/manage/jobs',
    '/schedules',
    '/schedules/new',
    `/schedules/${schedule}`,
  ].map((part) => `chatrooms/${cid}${part}`)
  const ofTask = [
    '',
    `/${hostileTask}`,
    `/${hostileTask}/versions/${hostile}`,
    `/${hostileTask}/versions/${draft}/compare`,
    `/${hostileTask}/versions/${draft}/edit`,
  ].map((part) => `tasks${part}`)
  for (const path of [...ofRoom, ...ofTask, 'inbox/notifications', 'runs', ...ofRun]) {
    await page.goto(`${service.url}/console/${path}`)
    await page.getByText(hostileName.shown).first().waitFor({ state: 'attached' })
    await waitForScreen(page)
    expect(await tracesOf(page), path).toEqual([])
  }
  expect(requests.filter((url) => !url.startsWith(`${service.url}/`))).toEqual([])
})

test('a service that does not answer is tried again, and the page goes on when it answers', async () => {
  await page.goto(`${service.url}/console/runs?status=completed`)
  await page.getByRole('link', { name: job }).first().waitFor()
  await page.context().setOffline(true)
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await page.getByText('No connection. Trying again').waitFor()
  await page.context().setOffline(false)
  await page.getByText('No connection. Trying again').waitFor({ state: 'hidden' })
  await page.getByRole('link', { name: job }).first().waitFor()
})

test('a sign-in that ends asks again over the page, which keeps what was typed', async () => {
  await page.goto(`${service.url}/console/chatrooms/${tenant.room}/run/${taskId}`)
  await page.getByRole('button', { name: 'JSON' }).click()
  const input = JSON.stringify({ ...(JSON.parse(await exampleFile('input.json')) as object), title: 'kept' })
  await page.getByRole('textbox', { name: 'JSON' }).fill(input)
  await page.getByRole('button', { name: 'Use my last input' }).waitFor()
  await page.context().clearCookies()
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page.getByRole('dialog', { name: 'Sign in again' }).waitFor()
  await signIn(page, service.user, service.password)
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  expect(await page.getByRole('textbox', { name: 'JSON' }).inputValue()).toBe(input)
})

test('a changed password ends the sign-ins of other browsers', async () => {
  const elsewhere = await openPage(await newContext(browser))
  await elsewhere.page.goto(`${service.url}/console/runs`)
  await signIn(elsewhere.page, service.user, service.password)
  await elsewhere.page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor()
  await page.goto(`${service.url}/console/me`)
  await page.getByRole('button', { name: 'Sign out there' }).first().waitFor()
  await page.getByLabel('Current password').fill(service.password)
  await page.getByLabel('New password').fill(newPassword)
  await page.getByRole('button', { name: 'Change password' }).click()
  await page.getByText('The password is changed.').waitFor()
  await elsewhere.page.goto(runAddress)
  await elsewhere.page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
  await elsewhere.page.context().close()
})

test('whoever signed out sees nothing, and comes back to the same address', async () => {
  await page.goto(runAddress)
  await page.getByRole('button', { name: 'Your account' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
  await page.goto(runAddress)
  await signIn(page, service.user, newPassword)
  await page.getByText('best_product').waitFor()
  expect(page.url()).toBe(runAddress)
})

test('the browser reported no error and no refusal by the policy of the page', () => {
  expect(faults).toEqual([])
})
