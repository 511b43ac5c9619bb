import type { Browser, BrowserContext } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openService } from '../main-job/shared-service.ts'
import { faultsOfScreens, tooWideInGerman } from './accessibility.ts'
import { newContext, signIn, startBrowser } from './console-browser.ts'
import { type ConsoleWorld, makeConsoleWorld } from './console-world.ts'
import { makeScreens } from './screens.ts'

const firstLoadMaxKibibytes = 250
/** For what hangs: each test looks at every screen. */
const allScreens = { timeout: 900_000 }

let world: ConsoleWorld
let browser: Browser
let signedIn: BrowserContext
/** Of every screen, with its parts. */
let addresses: string[]

beforeAll(async () => {
  world = await makeConsoleWorld(await openService())
  const { service } = world
  const paths = Object.values(await makeScreens(world))
  addresses = paths.map((path) => `${service.url}/console/${path}`)
  browser = await startBrowser()
  signedIn = await newContext(browser)
  const page = await signedIn.newPage()
  await page.goto(`${service.url}/console/`)
  await signIn(page, service.user, service.password)
  await page.getByRole('heading', { level: 1, name: 'Rooms' }).waitFor()
})
afterAll(async () => {
  await browser?.close()
  await world?.service.stop()
})

test(
  'no screen has a serious fault of accessibility, at two widths and in both themes, or a large first load',
  allScreens,
  async () => {
    expect(await faultsOfScreens(browser, world.service, addresses, firstLoadMaxKibibytes)).toEqual([])
  },
)

test('German texts fit on a phone', allScreens, async () => {
  expect(await tooWideInGerman(browser, signedIn, addresses)).toEqual([])
})
