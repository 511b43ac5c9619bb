import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { TestIdentityProvider } from '../../testing/identity-provider.ts'
import { type Service, startService } from '../main-job/service.ts'
import { newContext, startBrowser } from './console-browser.ts'

/* Signing in at an identity provider, which is another site for the browser. */

const provider = new TestIdentityProvider()
let service: Service
let browser: Browser
let context: BrowserContext
let page: Page

beforeAll(async () => {
  service = await startService({
    SANDBOX_JWT_ISSUER: provider.issuer,
    SANDBOX_OIDC_CLIENT_ID: provider.clientId,
    SANDBOX_OIDC_NAME: 'Example Login',
  })
  provider.secret = undefined
  provider.person = { sub: service.user }
  browser = await startBrowser()
  context = await newContext(browser)
  page = await context.newPage()
})
afterAll(async () => {
  await browser?.close()
  await service?.stop()
})

const atProvider = () => page.getByRole('link', { name: 'Sign in with Example Login' })

test('a person without an account here is refused in words, and nobody is signed in', async () => {
  provider.person = { sub: 'nobody' }
  await page.goto(`${service.url}/console/`)
  await atProvider().click()
  await page.getByRole('alert').getByText('you have no account here').waitFor()
  expect(await context.cookies()).toEqual([])
})

test('the person comes back to the screen that they wanted', async () => {
  provider.person = { sub: service.user }
  await page.goto(`${service.url}/console/runs?status=running`)
  await atProvider().click()
  await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor()
  const { pathname, searchParams } = new URL(page.url())
  expect([pathname, searchParams.get('status')]).toEqual(['/console/runs', '["running"]'])
  await page.goto(`${service.url}/console/me`)
  await page.getByText('by the identity provider').waitFor()
})

test('a page whose sign-in has ended stays as it is while the person signs in beside it', async () => {
  await page.goto(`${service.url}/console/tasks/new`)
  await page.getByLabel('Name').fill('typed before')
  await context.clearCookies()
  await page.getByRole('button', { name: 'New task' }).click()
  const dialog = page.getByRole('dialog', { name: 'Sign in again' })
  const link = dialog.getByRole('link', { name: 'Sign in with Example Login' })
  const [other] = await Promise.all([context.waitForEvent('page'), link.click()])
  await other.getByRole('heading', { level: 1, name: 'Rooms' }).waitFor()
  await other.close()
  await page.bringToFront()
  // The window of a browser without a display has no focus to get back.
  await page.evaluate('dispatchEvent(new Event("focus"))')
  await dialog.waitFor({ state: 'detached' })
  expect(await page.getByLabel('Name').inputValue()).toBe('typed before')
  const asked = await page.request.get(`${service.url}${allRoutes.readSignInProvider.path}`)
  expect(await asked.json()).toEqual({ name: 'Example Login' })
})
