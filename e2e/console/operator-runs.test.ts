import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort, type OwnService, startService } from '../main-job/service.ts'
import { ended, publish, runWhen, submit } from '../main-job/tenant.ts'
import { newContext, openPage, startBrowser } from './console-browser.ts'
import { type ConsoleWorld, makeConsoleWorld } from './console-world.ts'

/* An operator ends runs of a company in the console and by commands. */

let service: OwnService
let world: ConsoleWorld
let browser: Browser
let page: Page
let faults: string[]
let version: string

beforeAll(async () => {
  const port = await freePort()
  service = await startService({ SANDBOX_OPERATOR_LISTEN: `127.0.0.1:${port}` })
  world = await makeConsoleWorld(service)
  version = await publish(world.tenant, {
    environmentVersion: world.environmentVersion,
    workScript: 'trap "" TERM; sleep 3600 & wait; sleep 3600',
    timeoutSeconds: 600,
  })
  await service.sandbox('operator', 'company', 'set', world.tenant.companyId, '--run-concurrency', '1')
  browser = await startBrowser()
  ;({ page, faults } = await openPage(await newContext(browser)))
  const { address } = await service.sandbox<{ address: string }>('operator', 'console')
  await page.goto(address)
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
})
afterAll(async () => {
  await browser?.close()
  await service?.stop()
})

const submitOne = async () => (await submit(world.tenant, version, {})).id
const statusOf = async (rid: string) =>
  (await world.tenant.client.call(allRoutes.readRun, { params: { cid: world.tenant.room, rid } })).status

async function act(name: string, button: string, reason: string): Promise<void> {
  await page.getByRole('button', { name }).press('Enter')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Reason').fill(reason)
  await dialog.getByRole('button', { name: button }).press('Enter')
  await dialog.waitFor({ state: 'detached' })
}

test('a queue is emptied while the run at work goes on, which is then ended without time for its processes', async () => {
  const atWork = await submitOne()
  await runWhen(world.tenant, atWork, ({ status }) => status === 'running')
  const waiting = [await submitOne(), await submitOne(), await submitOne()]
  await page.goto(new URL(`/operator/companies/${world.tenant.companyId}/runs`, page.url()).href)
  await act('Empty the queue', 'Empty the queue', 'They all mine.')
  for (const id of waiting) await expect.poll(() => statusOf(id)).toBe('cancelled')
  expect(await statusOf(atWork)).toBe('running')
  await page.getByText('No run waits.').waitFor()
  await act(`End run_…${atWork.slice(-4)}`, 'End', 'It mines.')
  const { status } = await runWhen(world.tenant, atWork, ended)
  expect(status).toBe('cancelled')
  await page.getByText('No run is at work.').waitFor()
  const { items } = await service.sandbox<{ items: object[] }>('operator', 'acts')
  expect(items.slice(0, 2)).toMatchObject([
    { act: 'run_end', subject: atWork, details: { reason: 'It mines.' } },
    { act: 'queue_empty', subject: world.tenant.companyId, details: { reason: 'They all mine.' } },
  ])
  expect(faults).toEqual([])
})

test('commands do the same, and refuse what is not there', async () => {
  const atWork = await submitOne()
  await runWhen(world.tenant, atWork, ({ status }) => status === 'running')
  const waiting = await submitOne()
  const company = 'acme'
  const emptied = await service.sandbox(
    'operator',
    'company',
    'empty-queue',
    company,
    '--reason',
    'Too many.',
  )
  expect(emptied).toEqual({ company, waiting: 1 })
  await expect.poll(() => statusOf(waiting)).toBe('cancelled')
  const ending = await service.sandbox('operator', 'run', 'end', atWork, '--reason', 'Too long.')
  expect(ending).toEqual({ run: atWork, company: world.tenant.companyId })
  expect((await runWhen(world.tenant, atWork, ended)).status).toBe('cancelled')
  await expect(service.sandbox('operator', 'run', 'end', atWork, '--reason', 'Again.')).rejects.toThrow(
    'No run of that id',
  )
  await expect(
    service.sandbox('operator', 'company', 'empty-queue', 'nobody', '--reason', 'Why.'),
  ).rejects.toThrow('There is no company')
})
