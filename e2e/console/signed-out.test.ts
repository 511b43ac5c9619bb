import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Service } from '../main-job/service.ts'
import { openService } from '../main-job/shared-service.ts'
import { newContext, signIn, startBrowser } from './console-browser.ts'

let service: Service
let browser: Browser

beforeAll(async () => {
  service = await openService()
  browser = await startBrowser()
})
afterAll(async () => {
  await browser?.close()
  await service?.stop()
})

test('events are not asked for without a sign-in, and come again with the next one', async () => {
  const page = await (await newContext(browser)).newPage()
  await page.clock.install()
  const isStream = (url: string) => new URL(url).pathname === allRoutes.followEvents.path
  let asked = 0
  page.on('request', (request) => {
    if (isStream(request.url())) asked++
  })
  const isFollowed = () => page.waitForRequest((request) => isStream(request.url()))
  const first = isFollowed()
  await page.goto(`${service.url}/console/chatrooms`)
  await signIn(page, service.user, service.password)
  await first
  // The service ends the stream, the browser tries it once more by itself, and then the page asks who is signed in.
  const checked = page.waitForResponse(
    (answer) => new URL(answer.url()).pathname === allRoutes.readOwnAccount.path && answer.status() === 418,
  )
  await page.getByRole('button', { name: 'Your account' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
  await checked
  asked = 0
  await page.clock.runFor('10:00')
  await page.evaluate('fetch("/console/", { method: "HEAD" })')
  expect(asked).toBe(0)
  const again = isFollowed()
  await signIn(page, service.user, service.password)
  await again
})
