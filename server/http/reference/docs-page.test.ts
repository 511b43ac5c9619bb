import { join } from 'node:path'
import { platformRoutes } from '@sandbox-jobs/contract/routes/platform-routes.ts'
import { userRoutes } from '@sandbox-jobs/contract/routes/user-routes.ts'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { TestApi } from '../../../testing/apps/test-api.ts'
import { testFolder } from '../../../testing/apps/test-storage.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeTenant, makeUser } from '../../../testing/factories/platform.ts'
import { packDocsPage } from '../../main/pack-docs-page.ts'

/** `/docs` as people see it: in Chromium, with the whole API behind it. */
const { db } = await createTestDatabase()
const packedFolder = testFolder()
await packDocsPage(join(import.meta.dirname, '../../..'), join(packedFolder, 'docs-page.js'))
const api = new TestApi(db, { packedFolder })
const { companyId, roomId } = await makeTenant(db)
const administrator = await makeUser(db, companyId, { role: 4 })
const password = 'correct horse battery'
await api.must(userRoutes.createUser, administrator, { body: { login: 'reader', password, role: 4 } })

let browser: Browser
let origin: string
let page: Page
/** Errors that the browser reports: refusals by the content security policy among others. */
let faults: string[]

beforeAll(async () => {
  origin = await api.app.listen({ host: '127.0.0.1', port: 0 })
  browser = await chromium.launch({
    executablePath: '/usr/bin/chromium-headless-shell',
    // Chromium's own sandbox does not start as root. The page is our own.
    args: ['--no-sandbox'],
  })
})
afterAll(() => browser.close())
beforeEach(async () => {
  page = await browser.newPage()
  faults = []
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text())
  })
  page.on('pageerror', (error) => faults.push(error.message))
  await page.goto(`${origin}/docs`)
})

const operation = async (id: string) => {
  const section = page.locator(`section#${id}`)
  await page.evaluate(`location.hash = '${id}'`)
  await section.getByText('Try it', { exact: true }).waitFor()
  return section
}

test('the command for other machines is a link away', async () => {
  const link = page.getByRole('link', { name: 'the command sandbox' })
  expect(await link.evaluate((found) => Reflect.get(found, 'href') as string)).toBe(`${origin}/cli`)
})

test('it begins with the first requests, with the room of whoever logs in, and the groups are closed', async () => {
  const first = page.locator('#first-run .samples pre')
  await first.nth(2).waitFor()
  expect(await first.nth(2).innerText()).toContain('/chatrooms/ROOM/run-and-wait')
  expect(await page.locator('main section[data-words]:visible').count()).toBe(0)
  await page.getByLabel('Login name').fill('reader')
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.getByLabel('Room').waitFor()
  const filled = await first.nth(2).innerText()
  expect(filled).toContain(`/chatrooms/${roomId}/run-and-wait`)
  expect(filled).toContain("-H 'Authorization: Bearer eyJh…'")
  const run = await operation('runAndWait')
  expect(await run.getByLabel('cid').inputValue()).toBe(roomId)
  const body = JSON.parse(await run.getByLabel('Body').inputValue()) as object
  expect(Object.keys(body)).toEqual(['task_version_id', 'input'])
  expect(faults).toEqual([])
})

test('search shows what has all words, and nothing else', async () => {
  await page.keyboard.press('/')
  await page.keyboard.type('artifact download')
  const shown = page.locator('main section[data-words]:visible')
  expect(await shown.count()).toBeGreaterThan(0)
  for (const words of await shown.evaluateAll((all) => all.map((one) => one.getAttribute('data-words'))))
    expect(words).toMatch(/(?=.*artifact)(?=.*download)/)
  await page.locator('nav a:visible', { hasText: 'redeemDownloadCapability' }).click()
  await page.getByText('Try it', { exact: true }).waitFor()
  expect(faults).toEqual([])
})

test('an operation without login is tried with one click', async () => {
  const regions = await operation('listRegions')
  await regions.getByRole('button', { name: 'Send' }).click()
  await regions.locator('.answer .good').waitFor()
  expect(await regions.locator('.answer').innerText()).toMatch(/200 .*request [0-9a-f]{32}[\s\S]*"onprem"/)
  expect(faults).toEqual([])
})

test('a login is used for requests with a path and a body, and forgotten on reload', async () => {
  await page.getByLabel('Login name').fill('reader')
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.getByText('Requests are sent as reader.').waitFor()
  const create = await operation('createDepartment')
  await create.getByLabel('Body').fill('{"name": "Made <b>on</b> the page"}')
  await create.getByRole('button', { name: 'Send' }).click()
  await create.locator('.answer .good').waitFor()
  const { id = '' } = JSON.parse(await create.locator('.answer pre').innerText()) as { id?: string }
  const read = await operation('readDepartment')
  await read.getByLabel('id').fill(id)
  await read.getByRole('button', { name: 'Send' }).click()
  await read.locator('.answer .good').waitFor()
  expect(await read.locator('.answer pre').innerText()).toContain('Made <b>on</b> the page')
  const stored = await api.must(platformRoutes.readDepartment, administrator, { params: { id } })
  expect(stored.name).toBe('Made <b>on</b> the page')
  expect(await page.evaluate('[localStorage.length, sessionStorage.length, document.cookie]')).toEqual([
    0,
    0,
    '',
  ])
  await page.reload()
  const me = await operation('readMe')
  await me.getByRole('button', { name: 'Send' }).click()
  await me.locator('.answer .bad').waitFor()
  expect(await me.locator('.answer').innerText()).toContain('418')
})

test('samples say what was filled in, and show no key', async () => {
  const submit = await operation('submitRun')
  await page.getByLabel('API key').fill('sbk_secret')
  await page.getByLabel('API key').press('Tab')
  await submit.getByLabel('cid').fill('roo_1')
  await submit.getByLabel('Body').fill(`{"task_version_id":"tvr_1","input":"it's"}`)
  const sample = submit.locator('.samples pre')
  const curl = await sample.innerText()
  expect(curl).toContain(`curl -X POST '${origin}/private/module/sandbox/chatrooms/roo_1/runs'`)
  expect(curl).toContain(`"input":"it'\\''s"`)
  expect(curl).toContain("-H 'X-Api-Key: sbk_…'")
  await submit.getByRole('button', { name: 'SDK' }).click()
  expect(await sample.innerText()).toMatch(/sandbox\.submitRun\(\{\n {2}params: \{"cid":"roo_1"\}/)
  expect(await page.locator('#first-run .samples pre').first().innerText()).toContain('listOwnChatrooms(')
})

test.each(['light', 'dark'] as const)(
  'a phone reads the page without scrolling sideways, %s',
  async (scheme) => {
    await page.emulateMedia({ colorScheme: scheme })
    await page.setViewportSize({ width: 360, height: 740 })
    await page.evaluate(unfoldAll)
    await page.locator('section#followRunLog').getByText('Try it', { exact: true }).waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360)
    const [background, text] = (await page.evaluate(
      '[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]',
    )) as [string, string]
    expect(brightness(background) > brightness(text)).toBe(scheme === 'light')
  },
)

/** A part that is folded or outside of the view has no layout until then. */
const unfoldAll = `
  for (const details of document.querySelectorAll('details')) details.open = true
  for (const section of document.querySelectorAll('section')) section.style.contentVisibility = 'visible'`

const brightness = (color: string): number =>
  (color.match(/[\d.]+/g) ?? []).slice(0, 3).reduce((sum, part) => sum + Number(part), 0)
