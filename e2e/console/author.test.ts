import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openService } from '../main-job/shared-service.ts'
import { loseAnswer, newContext, openPage, signIn, startBrowser } from './console-browser.ts'
import { type ConsoleWorld, makeConsoleWorld } from './console-world.ts'

const schema = '{"type":"object","required":["name"],"properties":{"name":{"type":"string"}}}'
const newSchema =
  '{"type":"object","required":["name"],"properties":{"name":{"type":"string"},"title":{"type":"string"}}}'

/** An author makes a task, publishes and shares it, and the room that gets it runs it. */
let world: ConsoleWorld
let browser: Browser
let page: Page
let faults: string[]
let environment: string

beforeAll(async () => {
  world = await makeConsoleWorld(await openService())
  const { service, tenant, environmentVersion } = world
  const { items } = await tenant.client.call(allRoutes.listEnvironments)
  environment = items.find(({ current_version_id }) => current_version_id === environmentVersion)?.name ?? ''
  browser = await startBrowser()
  ;({ page, faults } = await openPage(await newContext(browser)))
  await page.goto(`${service.url}/console/tasks`)
  await signIn(page, service.user, service.password)
  await page.getByRole('heading', { level: 1, name: 'Tasks' }).waitFor()
})
afterAll(async () => {
  await browser?.close()
  await world?.service.stop()
})

test('a task begins with a name, and its first draft comes next', async () => {
  await page.getByRole('link', { name: 'New task' }).click()
  await page.getByRole('button', { name: 'New task' }).click()
  await page.getByText('Write a name first.').waitFor()
  await page.getByRole('textbox', { name: 'Name' }).fill('greeting')
  // The task is made, and its answer is lost.
  await page.route(/\/tasks$/, loseAnswer, { times: 1 })
  await page.getByRole('button', { name: 'New task' }).click()
  await page.getByText('The service does not answer.').waitFor()
  await page.getByRole('button', { name: 'New task' }).click()
  await page.getByRole('heading', { level: 1, name: 'New draft of greeting' }).waitFor()
  const { items } = await world.tenant.client.call(allRoutes.listTasks)
  expect(items.filter(({ name }) => name === 'greeting')).toHaveLength(1)
})

test('a draft that cannot be is refused in words, and stays as it was typed', async () => {
  await page.getByRole('combobox', { name: 'Environment' }).selectOption({ label: environment })
  // With an output: the service answers 404 for that of a run without one, which the browser reports.
  await page
    .getByRole('textbox', { name: 'Work script' })
    .fill('tee "$SERVICE_OUTPUT_FILE" <"$SERVICE_INPUTS_FILE"')
  await page.getByRole('textbox', { name: 'Schema of the input' }).fill('{"type":"nothing"}')
  await page.getByRole('button', { name: 'Save the draft' }).click()
  await page.getByRole('alert').waitFor()
  await page.getByRole('textbox', { name: 'Schema of the input' }).getByText('{"type":"nothing"}').waitFor()
})

test('the form of a schema is beside it while it is typed, and reports what does not fit', async () => {
  const live = page.getByRole('region', { name: 'The form, as people see it' })
  const field = page.getByRole('textbox', { name: 'Schema of the input' })
  await field.fill('{"type": "object",')
  await live.getByText('line 1').waitFor()
  // Nothing was typed into the form: it has what the schema says.
  await field.fill('{"type": "object", "properties": {"count": {"type": "integer", "default": 3}}}')
  await live.getByRole('button', { name: 'Check the input' }).click()
  await live.getByText('It fits the schema.').waitFor()
  await field.fill(schema)
  await live.getByRole('textbox', { name: 'name' }).waitFor()
  await live.getByRole('button', { name: 'Check the input' }).click()
  await live.getByRole('link', { name: 'name' }).waitFor()
  await live.getByRole('textbox', { name: 'name' }).fill('Ada')
  // As long as a person presses: the summary, which goes, does not move the button away meanwhile.
  await live.getByRole('button', { name: 'Check the input' }).click({ delay: 200 })
  await live.getByText('It fits the schema.').waitFor()
})

test('keys of the page do nothing while code is typed, and Tab leaves the field', async () => {
  const field = page.getByRole('textbox', { name: 'Startup script' })
  await field.click()
  await page.keyboard.type('g h ? /')
  expect(await field.innerText()).toBe('g h ? /')
  await page.keyboard.press('Tab')
  await page.keyboard.type('x')
  expect(await field.innerText()).toBe('g h ? /')
  await field.fill('')
})

test('a draft is saved, changed and published', async () => {
  await page.getByRole('textbox', { name: 'Schema of the input' }).fill(schema)
  await page.keyboard.press('Control+s')
  await page.getByRole('heading', { level: 1, name: 'Version 1 of greeting' }).waitFor()
  await page.getByRole('link', { name: 'Edit' }).click()
  await page.getByRole('textbox', { name: 'Instructions' }).fill('- name')
  const [, id = '', vid = ''] = /tasks\/(\w+)\/versions\/(\w+)/.exec(page.url()) ?? []
  await world.tenant.client.call(allRoutes.updateTaskVersion, {
    params: { id, vid },
    body: { input_instructions: 'of somebody else' },
  })
  await page.getByRole('button', { name: 'Save the draft' }).click()
  await page.getByRole('alert').waitFor()
  expect(await page.getByRole('textbox', { name: 'Instructions' }).inputValue()).toBe('- name')
  page.once('dialog', (dialog) => void dialog.accept())
  await page.reload()
  await page.getByRole('textbox', { name: 'Instructions' }).fill('- **name**: who is greeted')
  await page.getByRole('button', { name: 'Save the draft' }).click()
  await page.getByRole('button', { name: 'Publish' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
  await page.getByText('Published', { exact: true }).first().waitFor()
  expect(await page.getByRole('link', { name: 'Edit' }).count()).toBe(0)
})

test('a published task is shared with a room, whose manager enables it', async () => {
  await page.getByRole('link', { name: 'greeting', exact: true }).click()
  await page.getByRole('button', { name: 'Share' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('combobox', { name: 'With' }).selectOption({ label: 'Room daily-numbers' })
  await dialog.getByRole('button', { name: 'Share' }).click()
  await page.getByText('Room daily-numbers').waitFor()
  await page.goto(`${world.service.url}/console/chatrooms/${world.tenant.room}/manage/jobs`)
  await page.getByRole('button', { name: 'Enable greeting' }).click()
  await page.getByRole('button', { name: 'Disable greeting' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Disable', exact: true }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Enable greeting' }).click()
  await page.getByRole('button', { name: 'Disable greeting' }).waitFor()
})

test('a further draft says what it changes for users before it is published', async () => {
  await page.goto(`${world.service.url}/console/tasks`)
  await page.getByRole('link', { name: 'greeting' }).click()
  await page.getByRole('link', { name: 'New draft' }).click()
  await page.getByRole('textbox', { name: 'Schema of the input' }).fill(newSchema)
  await page.getByRole('textbox', { name: 'Startup script' }).fill('set -eu')
  await page.getByRole('button', { name: 'Save the draft' }).click()
  await page.getByRole('button', { name: 'Publish' }).click()
  await page.getByRole('dialog').getByText('The form has a new field: title.').waitFor()
  await page.getByRole('dialog').getByText('1 room offers this task').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'Compare' }).click()
  await page.getByRole('region', { name: 'Startup script' }).getByText('set -eu').waitFor()
  await page.getByText('The form has a new field: title.').waitFor()
  expect(await page.getByRole('region', { name: 'Work script' }).count()).toBe(0)
})

test('codes stand side by side, and on a phone one below the other', async () => {
  const codes = page.getByRole('textbox', { name: 'Startup script' })
  await page.getByLabel('Show code side by side').check()
  await expect.poll(() => codes.count()).toBe(2)
  await codes.last().getByText('set -eu').waitFor()
  await page.setViewportSize({ width: 390, height: 844 })
  await page.reload()
  await page.getByLabel('Show code side by side').check()
  await codes.getByText('set -eu').waitFor()
  expect(await codes.count()).toBe(1)
  expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBe(0)
  await page.setViewportSize({ width: 1440, height: 900 })
})

test('the code of a published version is in the editor, which keys do not change', async () => {
  const { client } = world.tenant
  const { items: tasks } = await client.call(allRoutes.listTasks)
  const id = tasks.find(({ name }) => name === 'greeting')?.id ?? ''
  const { items } = await client.call(allRoutes.listTaskVersions, { params: { id } })
  const published = items.find(({ state }) => state === 'published')
  await page.goto(`${world.service.url}/console/tasks/${id}/versions/${published?.id}`)
  await page.getByRole('region', { name: 'Work script' }).focus()
  const code = page.getByRole('textbox', { name: 'Work script' })
  await code.waitFor()
  await code.and(page.locator(':focus')).waitFor()
  await page.keyboard.type('rm -rf /')
  expect(await code.innerText()).toBe('tee "$SERVICE_OUTPUT_FILE" <"$SERVICE_INPUTS_FILE"')
})

test('people of the room run it, with its instructions above the form', async () => {
  await page.goto(`${world.service.url}/console/chatrooms/${world.tenant.room}`)
  await page.getByRole('link', { name: 'greeting' }).click()
  await page.locator('strong', { hasText: 'name' }).waitFor()
  await page.getByRole('textbox', { name: 'name' }).fill('Ada')
  await page.getByRole('button', { name: 'Show as CLI and API' }).click()
  await page.getByRole('dialog').getByText(`--input '{"name":"Ada"}'`).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page.getByText('Completed').first().waitFor()
})

test('a share that is revoked takes the task from the room', async () => {
  await page.goto(`${world.service.url}/console/tasks`)
  await page.getByRole('link', { name: 'greeting' }).click()
  await page.getByRole('button', { name: 'Revoke the share with daily-numbers' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click()
  await page.getByText('It is shared with nobody.').waitFor()
  await page.goto(`${world.service.url}/console/chatrooms/${world.tenant.room}`)
  // Its last run stays in the list below.
  const jobs = page.locator('section', { has: page.getByRole('heading', { name: 'Jobs', exact: true }) })
  await jobs.getByRole('link', { name: world.job }).waitFor()
  expect(await jobs.getByRole('link', { name: 'greeting' }).count()).toBe(0)
})

test('the browser reported no error and no refusal by the policy of the page', () => {
  expect(faults.filter((fault) => !fault.includes('ERR_FAILED'))).toEqual([])
})
