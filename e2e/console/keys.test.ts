import { ApiError } from '@sandbox-jobs/contract/client/api-error.ts'
import { createClient } from '@sandbox-jobs/contract/client/client.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Service } from '../main-job/service.ts'
import { openService } from '../main-job/shared-service.ts'
import { newContext, openPage, signIn, startBrowser } from './console-browser.ts'

/** An administrator makes a key for a room, a program uses it, and the administrator ends it. */
let service: Service
let browser: Browser
let page: Page
let faults: string[]
let apiKey: string

beforeAll(async () => {
  service = await openService()
  browser = await startBrowser()
  ;({ page, faults } = await openPage(await newContext(browser)))
  await page.goto(`${service.url}/console/company/keys`)
  await signIn(page, service.user, service.password)
  await page.getByText('There is no key yet.').waitFor()
})
afterAll(async () => {
  await browser?.close()
  await service?.stop()
})

const readOwn = () => createClient({ baseUrl: service.url, apiKey }).call(allRoutes.readOwnCredential)

test('a key needs a name and a room, in words', async () => {
  await page.getByRole('link', { name: 'New key' }).click()
  await page.getByRole('button', { name: 'New key' }).click()
  await page.getByText('Write a name first.').waitFor()
  await page.getByText('Choose at least one room.').waitFor()
})

test('a key is shown once, and is for the room alone', async () => {
  await page.getByLabel('Name').fill('shop assistant')
  await page.getByRole('checkbox', { name: 'daily-numbers' }).check()
  await page.getByLabel('Expires').selectOption({ label: 'In 30 days' })
  await page.getByRole('button', { name: 'New key' }).click()
  await page.getByRole('heading', { level: 1, name: 'The key is made' }).waitFor()
  apiKey = await page.getByRole('textbox', { name: 'Key' }).inputValue()
  const { api_key: own } = await readOwn()
  expect(own).toMatchObject({ name: 'shop assistant', scope: 'sandbox' })
  expect(own?.allowed_chatroom_ids).toHaveLength(1)
  const days = (Date.parse(own?.expires_at ?? '') - Date.now()) / 86_400_000
  expect(days).toBeLessThanOrEqual(30)
  expect(days).toBeGreaterThan(29)
  await page.getByRole('link', { name: 'Show the key' }).click()
  await page.getByRole('heading', { level: 1, name: 'shop assistant' }).waitFor()
  expect(await page.content()).not.toContain(apiKey)
  await page.goBack()
  await page.getByRole('heading', { level: 1, name: 'New key' }).waitFor()
  expect(await page.content()).not.toContain(apiKey)
})

test('a name that another key has is refused, and the form stays as it was typed', async () => {
  await page.getByLabel('Name').fill('shop assistant')
  await page.getByLabel('Rights').selectOption({ label: 'Everything that its owner may do' })
  await page.getByRole('button', { name: 'New key' }).click()
  await page.getByRole('alert').waitFor()
  expect(await page.getByLabel('Name').inputValue()).toBe('shop assistant')
})

test('the list says when a key was used, and a revoked key stops working', async () => {
  await page.goto(`${service.url}/console/company/keys`)
  const row = page.getByRole('row', { name: 'shop assistant' })
  await row.getByText('Active').waitFor()
  expect(await row.getByText('never').count()).toBe(0)
  await row.getByRole('link').click()
  await page.getByText('daily-numbers').waitFor()
  await page.getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('Revoked', { exact: true }).waitFor()
  expect(await page.getByRole('button', { name: 'Revoke' }).count()).toBe(0)
  await expect(readOwn()).rejects.toThrow(ApiError)
})

test('the browser reported no error and no refusal by the policy of the page', () => {
  expect(faults).toEqual([])
})
