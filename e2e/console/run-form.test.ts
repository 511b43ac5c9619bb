import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openService } from '../main-job/shared-service.ts'
import { ended, publish, runWhen, submit } from '../main-job/tenant.ts'
import { newContext, openPage, signIn, startBrowser } from './console-browser.ts'
import { type ConsoleWorld, makeConsoleWorld } from './console-world.ts'

/** A form says before a run how long it waits, and what is in the way. */
let world: ConsoleWorld
let browser: Browser
let page: Page
let faults: string[]

beforeAll(async () => {
  world = await makeConsoleWorld(await openService())
  browser = await startBrowser()
  ;({ page, faults } = await openPage(await newContext(browser)))
  const { service } = world
  await page.goto(`${service.url}/console/`)
  await signIn(page, service.user, service.password)
  await page.getByRole('heading', { level: 1, name: 'Rooms' }).waitFor()
})
afterAll(async () => {
  await browser?.close()
  await world?.service.stop()
})

/** The task of a version that the room offers. */
async function taskOf(version: string): Promise<string> {
  const { client, room: cid } = world.tenant
  const { items } = await client.call(allRoutes.readMenu, { params: { cid } })
  return items.find(({ task_version_id }) => task_version_id === version)?.task_id ?? ''
}

const estimate = () => page.getByRole('region', { name: 'Price and wait' })

test('a form says how long earlier runs took, and why a run would be refused now', async () => {
  const { tenant, environmentVersion, service } = world
  const version = await publish(tenant, { environmentVersion, workScript: 'echo done' })
  const { id: rid } = await submit(tenant, version, {})
  await runWhen(tenant, rid, ended)
  const taskId = await taskOf(version)
  await page.goto(`${service.url}/console/chatrooms/${tenant.room}/run/${taskId}`)
  await estimate().getByText('Usually takes').waitFor()
  await tenant.client.call(allRoutes.archiveTask, { params: { id: taskId } })
  await page.getByText('More options', { exact: true }).click()
  await page.getByLabel('Stop after (seconds)').fill('50')
  await estimate().getByText('A run would be refused now.').waitFor()
  const run = page.getByRole('button', { name: 'Run', exact: true })
  expect(await run.getAttribute('aria-disabled')).toBe('true')
})

test('a time that no run may have is refused at its field', async () => {
  const { tenant, taskId, service } = world
  await page.goto(`${service.url}/console/chatrooms/${tenant.room}/run/${taskId}`)
  await page.getByText('More options', { exact: true }).click()
  await page.getByLabel('Stop after (seconds)').fill('999999999')
  await page.getByText('A number of seconds from 1 to').waitFor()
})

test('the browser reported no error and no refusal by the policy of the page', () => {
  expect(faults).toEqual([])
})
