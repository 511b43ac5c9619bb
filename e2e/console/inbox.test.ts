import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openService } from '../main-job/shared-service.ts'
import { ended, exampleFile, publish, runWhen, submit } from '../main-job/tenant.ts'
import { newContext, openPage, signIn, startBrowser } from './console-browser.ts'
import { type ConsoleWorld, makeConsoleWorld } from './console-world.ts'

/** A person decides about what an agent proposes to them, and reads what has happened. */
let world: ConsoleWorld
let browser: Browser
let page: Page
let faults: string[]
let version: string

beforeAll(async () => {
  world = await makeConsoleWorld(await openService())
  const { service, tenant, environmentVersion } = world
  version = await publish(tenant, {
    environmentVersion,
    workScript: 'cp "$SERVICE_INPUTS_FILE" "$SERVICE_OUTPUT_FILE"',
    draft: { requires_confirmation: true },
  })
  // The agents of the room have the tools.
  await tenant.client.call(allRoutes.updateChatroomJobs, {
    params: { cid: tenant.room },
    body: { jobs: ['sandbox'] },
  })
  browser = await startBrowser()
  ;({ page, faults } = await openPage(await newContext(browser)))
  await page.goto(`${service.url}/console/inbox`)
  await signIn(page, service.user, service.password)
  await page.getByText('Nothing waits for you.').waitFor()
})
afterAll(async () => {
  await browser?.close()
  await world?.service.stop()
})

/** An agent proposes the job in a turn of the person, and gets the identifier of the proposal. */
async function propose(day: string): Promise<string> {
  const { client, publicClient, room: cid } = world.tenant
  const body = { text: `Run it for ${day}, please.` }
  const { turn_context } = await client.call(allRoutes.postMessage, { params: { cid }, body })
  const result = await publicClient.call(allRoutes.callAgentTool, {
    params: { tool: 'sandbox_submit_job' },
    headers: { 'X-Turn-Context': turn_context },
    body: { mode: 'request', task_version_id: version, input: { day } },
  })
  return String((result as { proposal_id?: unknown }).proposal_id)
}

const exactInput = () => page.getByRole('region', { name: 'The input, exactly as it is stored' })

const openProposal = async (pid: string) => {
  await page.goto(`${world.service.url}/console/inbox/todo`)
  await page.getByRole('link', { name: 'A job that an agent proposes' }).click()
  expect(new URL(page.url()).pathname).toBe(`/console/inbox/proposals/${pid}`)
}

test('a rejected proposal runs nothing', async () => {
  await openProposal(await propose('Monday'))
  await exactInput().getByText('{"day":"Monday"}').waitFor()
  await page.getByRole('button', { name: 'Reject' }).click()
  await page.getByText('Cancelled').waitFor()
  expect(await page.getByRole('button', { name: 'Confirm and run' }).count()).toBe(0)
})

test('a confirmed proposal becomes a run with exactly the input that was shown', async () => {
  const pid = await propose('Tuesday')
  await openProposal(pid)
  await exactInput().getByText('{"day":"Tuesday"}').waitFor()
  await page.getByRole('button', { name: 'Confirm and run' }).click()
  await page.getByText('Completed').first().waitFor()
  await page.getByText('Tuesday').first().waitFor()
  await page.goto(`${world.service.url}/console/inbox/proposals/${pid}`)
  await page.getByRole('link', { name: 'Open the run' }).waitFor()
})

test('the end of a run is a notification, which leads to it and is read from then on', async () => {
  const { tenant, service } = world
  const { id: rid } = await submit(tenant, world.version, JSON.parse(await exampleFile('input.json')))
  await runWhen(tenant, rid, ended)
  const own = page.locator(`a[href$="/runs/${rid}"]`)
  await page.goto(`${service.url}/console/inbox/notifications`)
  await Promise.all([
    page.waitForResponse((answer) => answer.url().endsWith('/read') && answer.status() === 200),
    own.click(),
  ])
  await page.waitForURL(new RegExp(`/runs/${rid}`))
  await page.getByText('Completed').first().waitFor()
  await page.goto(`${service.url}/console/inbox/notifications`)
  const unread = page.getByRole('button', { name: 'Mark as read' })
  await unread.first().waitFor()
  expect(await own.count()).toBe(0)
  const before = await unread.count()
  await unread.first().click()
  await expect.poll(() => unread.count()).toBe(before - 1)
  await page.getByRole('link', { name: 'All', exact: true }).click()
  await own.waitFor()
})

test('all notifications are marked as read at once', async () => {
  await page.getByRole('link', { name: 'Not read' }).click()
  await page.getByRole('button', { name: 'Mark all as read' }).click()
  await page.getByText('You have read everything.').waitFor()
})

test('a manager finds what a job of their room lacks, and the way to it', async () => {
  const { tenant, environmentVersion, service } = world
  await publish(tenant, {
    environmentVersion,
    workScript: 'echo done',
    draft: { secret_slot_declarations: ['API_TOKEN'] },
  })
  await page.goto(`${service.url}/console/inbox/todo`)
  await page.getByRole('link', { name: 'A secret is missing' }).click()
  await page.getByRole('heading', { level: 1, name: 'Secrets of daily-numbers' }).waitFor()
})

test('a proposal of nobody is not found', async () => {
  // The browser writes down that the service has nothing there.
  const other = await page.context().newPage()
  await other.goto(`${world.service.url}/console/inbox/proposals/pro_${'0'.repeat(32)}`)
  await other.getByRole('heading', { level: 1, name: 'Not found' }).waitFor()
  await other.close()
})

test('the browser reported no error and no refusal by the policy of the page', () => {
  expect(faults).toEqual([])
})
