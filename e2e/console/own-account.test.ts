import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkout, type OwnService, startService } from '../main-job/service.ts'
import { newContext, openPage, signIn, startBrowser } from './console-browser.ts'

/* The own account: the events about which a person gets e-mails. Nothing listens at the mail server, as no e-mail is due. */

let service: OwnService
let browser: Browser
let page: Page
let faults: string[]

beforeAll(async () => {
  service = await startService({ SANDBOX_MAIL_SERVER: 'smtp://127.0.0.1:9', SANDBOX_MAIL_TLS: 'none' })
  const example = await readFile(join(checkout, 'examples/company.yaml'), 'utf8')
  const file = join(service.dataDir, 'company.yaml')
  await writeFile(file, example.replace(/# (email: ada@example\.org),.*/, '$1'))
  await service.sandbox('admin', 'apply', file)
  browser = await startBrowser()
  ;({ page, faults } = await openPage(await newContext(browser)))
  await page.goto(`${service.url}/console/me`)
  await signIn(page, service.user, service.password)
})
afterAll(async () => {
  await browser?.close()
  await service?.stop()
})

test('a person chooses the events about which they get e-mails', async () => {
  await page.getByText('ada@example.org').waitFor()
  const ofRuns = page.getByRole('checkbox', { name: 'run_terminal' })
  expect(await ofRuns.isChecked()).toBe(true)
  await ofRuns.uncheck()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.').waitFor()
  await page.reload()
  expect(await ofRuns.isChecked()).toBe(false)
  expect(await page.getByRole('checkbox', { name: 'build_failed' }).isChecked()).toBe(true)
  expect(faults).toEqual([])
})
