import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openService } from '../main-job/shared-service.ts'
import { publish } from '../main-job/tenant.ts'
import { newContext, openPage, signIn, startBrowser, waitForScreen } from './console-browser.ts'
import { type ConsoleWorld, makeConsoleWorld } from './console-world.ts'
import { hostileName, storedTexts, tracesOf } from './hostile-texts.ts'

/** A manager makes a table, and changes its rows by forms, by a command and with a trigger that starts runs. */
let world: ConsoleWorld
let browser: Browser
let page: Page
let faults: string[]
let tableId: string
const job = 'echo {} >"$SERVICE_OUTPUT_FILE"'
let taskName: string

beforeAll(async () => {
  world = await makeConsoleWorld(await openService())
  const { tenant, environmentVersion, service } = world
  const version = await publish(tenant, { environmentVersion, workScript: job })
  const { items } = await tenant.client.call(allRoutes.readMenu, { params: { cid: tenant.room } })
  taskName = items.find(({ task_version_id }) => task_version_id === version)?.task_name ?? ''
  browser = await startBrowser()
  ;({ page, faults } = await openPage(await newContext(browser)))
  await page.goto(`${service.url}/console/tables`)
  await signIn(page, service.user, service.password)
  await page.getByText('There is no table yet that you manage.').waitFor()
})
afterAll(async () => {
  await browser?.close()
  await world?.service.stop()
})

const client = () => world.tenant.client
const open = (path: string) => page.goto(`${world.service.url}/console/tables/${tableId}/${path}`)
const button = (name: string) => page.getByRole('button', { name, exact: true })
const inDialog = (name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true })
const grid = () => page.getByRole('grid', { name: 'orders' })
const rowsOf = async (filter: string[] = []) => {
  const { items } = await client().call(allRoutes.listRows, { params: { id: tableId }, query: { filter } })
  return items.map(({ values }) => values)
}

test('a table is created with its fields, and an invalid name is reported', async () => {
  await page.getByRole('link', { name: 'New table' }).click()
  await page.getByLabel('Name', { exact: true }).fill('orders')
  await page.getByLabel('Name of field 1').fill('Order')
  await button('New table').click()
  await page.getByRole('alert').getByText('A name has lower-case letters').waitFor()
  await page.getByLabel('Name of field 1').fill('order_id')
  await page.getByLabel('Field 1 is required').check()
  await button('Add a field').click()
  await page.getByLabel('Name of field 2').fill('amount')
  await page.getByLabel('Type of field 2').selectOption('number')
  await button('Add a field').click()
  await page.getByLabel('Name of field 3').fill('note')
  await button('New table').click()
  await page.getByText('The table has no rows yet.').waitFor()
  tableId = /tables\/([\w.-]+)\/rows/.exec(page.url())?.[1] ?? ''
})

test('a row is created by the form of its fields, only once when the request is retried after a lost answer', async () => {
  await page.getByRole('link', { name: 'New row' }).click()
  await inDialog('Create the row').click()
  await page.getByRole('dialog').getByRole('link', { name: 'order_id' }).waitFor()
  await page.getByLabel('order_id').fill('A-1')
  await page.getByLabel('amount').fill('12.5')
  await page.route('**/rows', async (route) => {
    if (route.request().method() !== 'POST') return route.fallback()
    await route.fetch()
    await route.abort()
  })
  await inDialog('Create the row').click()
  await page.getByRole('alert').getByText('The service does not answer.').waitFor()
  await page.unroute('**/rows')
  await inDialog('Create the row').click()
  await grid().getByRole('link', { name: 'A-1' }).waitFor()
  expect(await rowsOf()).toEqual([{ order_id: 'A-1', amount: 12.5 }])
})

test('a row is changed, and what somebody else has changed meanwhile stays', async () => {
  await grid().getByRole('link', { name: 'A-1' }).click()
  await page.getByLabel('amount').fill('13')
  const { items } = await client().call(allRoutes.listRows, { params: { id: tableId } })
  await client().call(allRoutes.updateRow, {
    params: { id: tableId, rid: items[0]?.id ?? '' },
    body: { values: { note: 'by hand' } },
  })
  await inDialog('Save').click()
  await page.getByText('Somebody else has changed the row meanwhile: note.').waitFor()
  expect(await page.getByLabel('note').inputValue()).toBe('by hand')
  expect(await page.getByLabel('amount').inputValue()).toBe('13')
  await inDialog('Save').click()
  await grid().getByText('by hand').waitFor()
  expect(await rowsOf()).toEqual([{ order_id: 'A-1', amount: 13, note: 'by hand' }])
})

test('a row is deleted after a question, and Escape leaves it as it was', async () => {
  await page.getByRole('link', { name: 'New row' }).click()
  await page.getByLabel('order_id').fill('A-2')
  await inDialog('Create the row').click()
  await grid().getByRole('link', { name: 'A-2' }).click()
  await page.getByLabel('order_id').fill('A-3')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await grid().getByRole('link', { name: 'A-2' }).click()
  await inDialog('Delete the row').click()
  await page
    .getByRole('dialog', { name: 'Delete the row' })
    .getByRole('button', { name: 'Delete the row' })
    .click()
  await grid().getByRole('link', { name: 'A-2' }).waitFor({ state: 'detached' })
  expect((await rowsOf()).map(({ order_id }) => order_id)).toEqual(['A-1'])
})

test('rows of many pages are loaded as they are scrolled to, and the address has conditions and order', async () => {
  for (const at of Array.from({ length: 150 }).keys()) {
    await client().call(allRoutes.createRow, {
      params: { id: tableId },
      idempotencyKey: `many-${at}`,
      body: { values: { order_id: `M-${at}`, amount: at } },
    })
  }
  await open('rows')
  await page.getByText('The first 100 of 151 rows').waitFor()
  await grid().focus()
  await page.keyboard.press('End')
  await page.getByText('151 rows', { exact: true }).waitFor()
  expect(await grid().getByRole('row').count()).toBeLessThan(60)
  await page.getByLabel('Field', { exact: true }).selectOption('amount')
  await page.getByLabel('Comparison').selectOption('gte')
  await page.getByLabel('Value').fill('148')
  await button('Add the condition').click()
  await page.getByText('2 rows', { exact: true }).waitFor()
  await grid().getByRole('button', { name: 'amount' }).click()
  await grid()
    .getByRole('columnheader', { name: 'amount' })
    .and(page.locator('[aria-sort=ascending]'))
    .waitFor()
  await grid().getByRole('button', { name: 'amount' }).click()
  await grid()
    .getByRole('columnheader', { name: 'amount' })
    .and(page.locator('[aria-sort=descending]'))
    .waitFor()
  await page.reload()
  await waitForScreen(page)
  expect(await grid().getByRole('link').allTextContents()).toEqual(['M-149', 'M-148'])
  const href = await page.getByRole('link', { name: 'CSV' }).getAttribute('href')
  const { searchParams } = new URL(href ?? '')
  expect([searchParams.get('format'), searchParams.get('filter')]).toEqual(['csv', 'amount:gte:148'])
  await page.getByRole('button', { name: 'Remove the condition' }).click()
  await page.getByText('The first 100 of 151 rows').waitFor()
})

test('a condition that the table does not have is refused in words', async () => {
  await open(`rows?filter=${encodeURIComponent('["colour:eq:red"]')}`)
  await page.getByRole('alert').getByText('with a field of the table').waitFor()
})

test('a command changes the row that it names, and reports its identifier', async () => {
  await open('commands')
  await page.getByRole('link', { name: 'New command' }).click()
  await page.getByLabel('Name', { exact: true }).fill('set amount')
  await button('New command').click()
  await page.getByText('Choose at least one input.').waitFor()
  await page.getByLabel('order_id').selectOption('identity')
  await page.getByLabel('amount').selectOption('required')
  await page.getByLabel('Granted to').selectOption({ label: 'daily-numbers' })
  await button('New command').click()
  await page.getByRole('link', { name: 'Use in daily-numbers' }).click()
  await page.getByLabel('order_id').fill('C-1')
  await page.getByLabel('amount').fill('20')
  await button('Execute').click()
  await page.getByText('The row is stored.').waitFor()
  await page.getByLabel('amount').fill('21')
  await Promise.all([
    page.waitForResponse((response) => response.url().endsWith('/execute')),
    button('Execute').click(),
  ])
  expect(await rowsOf(['order_id:eq:C-1'])).toEqual([{ order_id: 'C-1', amount: 21 }])
  await page.goto(`${world.service.url}/console/chatrooms/${world.tenant.room}`)
  await page.getByRole('link', { name: 'set amount' }).waitFor()
})

test('a trigger starts a run for a row, which its event leads to', async () => {
  await open('triggers')
  await page.getByRole('link', { name: 'New trigger' }).click()
  await page.getByLabel('Name', { exact: true }).fill('report')
  await page.getByLabel('Room').selectOption({ label: 'daily-numbers' })
  await page.getByLabel('Task').selectOption({ label: taskName })
  await page.getByLabel('Input of its runs').fill('{')
  await button('New trigger').click()
  await page.getByText('This is not JSON.').waitFor()
  await page.getByLabel('Input of its runs').fill('{"order": "{{values.order_id}}"}')
  await button('New trigger').click()
  await page.getByText('No row has changed since the trigger exists.').waitFor()
  const { items: people } = await client().call(allRoutes.readNames, {
    query: { ids: [(await client().call(allRoutes.readMe)).principal_id] },
  })
  await page
    .locator('main dd')
    .getByText(people[0]?.name ?? '', { exact: true })
    .waitFor()
  await client().call(allRoutes.createRow, {
    params: { id: tableId },
    idempotencyKey: 'triggers',
    body: { values: { order_id: 'T-1' } },
  })
  await expect
    .poll(async () => {
      await button('Read again').click()
      return page.getByRole('link', { name: 'Run', exact: true }).count()
    })
    .toBe(1)
  await page.getByRole('button', { name: 'Refused' }).click()
  await page.getByText('No event has this state.').waitFor()
  await page.getByRole('button', { name: 'Refused' }).click()
  await page.getByRole('link', { name: 'Run', exact: true }).click()
  await page.getByText('Completed').first().waitFor()
})

test('the palette finds a table by a part of its name', async () => {
  await page.keyboard.press('Control+k')
  await page.getByLabel('Name, run, screen or action').fill('rder')
  await page.getByRole('option', { name: 'orders' }).click()
  await page.getByRole('heading', { level: 1, name: 'orders' }).waitFor()
  await page.keyboard.press('Control+k')
  await page.getByLabel('Name, run, screen or action').fill('rder')
  await page.getByRole('option', { name: 'All results for rder' }).click()
  await page.getByRole('heading', { level: 1, name: 'Search' }).waitFor()
  await page.locator('main').getByRole('link', { name: 'orders' }).waitFor()
  await page.getByLabel('Part of a name').fill('nothing has this name')
  await page.getByText('Nothing has this name.').waitFor()
})

test('the bar of the narrowest screen has whole words, and a button for the sections without room', async () => {
  await page.setViewportSize({ width: 360, height: 800 })
  const bar = page.getByRole('navigation', { name: 'Sections' })
  const shown = () => bar.getByRole('link').locator('span:not([role])').allInnerTexts()
  expect(await shown()).toEqual(['Rooms', 'Runs', 'Inbox'])
  await bar.getByRole('button', { name: 'More' }).click()
  await bar.getByRole('link', { name: 'Tasks' }).waitFor()
  expect(await shown()).toEqual(['Rooms', 'Runs', 'Inbox', 'Tasks', 'Environments', 'Tables', 'Company'])
  const words = `[...document.querySelectorAll('nav[aria-label="Sections"] span:not([role])')]`
  const cut = `${words}.filter((each) => each.scrollWidth > each.clientWidth).map((each) => each.textContent)`
  expect(await page.evaluate(cut)).toEqual([])
  const outside = `${words}.filter((each) => each.getBoundingClientRect().right > innerWidth).length`
  expect(await page.evaluate(outside)).toBe(0)
  await bar.getByRole('link', { name: 'Tables' }).click()
  await page.getByRole('heading', { level: 1, name: 'Tables' }).waitFor()
  expect(await shown()).toEqual(['Rooms', 'Runs', 'Inbox'])
  await page.getByRole('link', { name: 'orders' }).first().click()
  await page.setViewportSize({ width: 1440, height: 900 })
})

test('a trigger and a command end when they are archived, and a table keeps its rows', async () => {
  await open('triggers')
  await page.getByRole('link', { name: 'report' }).click()
  await button('Archive').click()
  await inDialog('Archive').click()
  await page.getByText('Archived').waitFor()
  await open('commands')
  await page.getByRole('link', { name: 'set amount' }).click()
  await button('Archive').click()
  await inDialog('Archive').click()
  await page.getByText('Archived').waitFor()
  await open('fields')
  await button('Add fields').click()
  await page.getByText('so no further field can be required').waitFor()
  await page.getByLabel('Name of field 1').fill('paid')
  await page.getByLabel('Type of field 1').selectOption('boolean')
  await inDialog('Add fields').click()
  await page.getByRole('cell', { name: 'paid' }).waitFor()
  await button('Archive').click()
  await inDialog('Archive').click()
  await page.getByText('Archived').waitFor()
  await page.getByRole('link', { name: 'Rows', exact: true }).click()
  await grid().getByRole('link', { name: 'A-1' }).click()
  await page.getByRole('dialog').getByText('by hand').waitFor()
  expect(await inDialog('Save').count()).toBe(0)
})

test('hostile texts of tables stay text', async () => {
  const { companyId, room } = world.tenant
  const { id } = await client().call(allRoutes.createTable, {
    body: {
      name: hostileName.name,
      description: hostileName.name,
      owner_scope: 'company',
      owner_id: companyId,
      fields: [
        { name: 'constructor', type: 'text' },
        { name: 'data', type: 'json' },
      ],
    },
  })
  for (const [at, text] of storedTexts.entries()) {
    await client().call(allRoutes.createRow, {
      params: { id },
      idempotencyKey: `hostile-${at}`,
      body: { values: { constructor: text, data: { [text]: text } } },
    })
  }
  const { id: command } = await client().call(allRoutes.createTableCommand, {
    params: { id },
    body: {
      name: hostileName.name,
      description: hostileName.name,
      inputs: [{ name: 'constructor', type: 'text' }],
      granted_scope: 'chatroom',
      granted_id: room,
    },
  })
  const { items } = await client().call(allRoutes.listRows, { params: { id } })
  const screens = [
    'tables',
    `tables/${id}/rows`,
    `tables/${id}/rows?row=${items[0]?.id}`,
    `tables/${id}/rows?filter=${encodeURIComponent(JSON.stringify([`constructor:ne:${hostileName.name}`]))}`,
    `tables/${id}/fields`,
    `tables/${id}/commands`,
    `tables/${id}/commands/new`,
    `chatrooms/${room}`,
    `chatrooms/${room}/commands/${command}`,
  ]
  for (const screen of screens) {
    await page.goto(`${world.service.url}/console/${screen}`)
    await waitForScreen(page)
    await page.getByText(hostileName.shown).first().waitFor({ state: 'attached' })
    expect(await tracesOf(page), screen).toEqual([])
  }
})

test('the browser reported no error and no refusal by the policy of the page', () => {
  expect(faults.filter((fault) => !fault.includes('ERR_FAILED'))).toEqual([])
})
