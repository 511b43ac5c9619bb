import { cp, mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Page } from 'playwright-core'
import { checkout, freePort, startService } from '../main-job/service.ts'
import { newContext, signIn, startBrowser, waitForScreen } from './console-browser.ts'
import { makeConsoleWorld } from './console-world.ts'
import { makeScreens, operatorScreens } from './screens.ts'

/*
 * Takes a picture of every screen of both consoles in four forms: two widths, and light and dark. Starts a service of its own with the
 * example company and its job. The picture of a result becomes that of the README.
 */
const usage = 'npm run screens -- FOLDER'
const widths = { wide: { width: 1440, height: 900 }, narrow: { width: 390, height: 844 } }
const themes = ['light', 'dark'] as const

const [folder, ...more] = process.argv.slice(2)
if (folder === undefined || more.length > 0) {
  console.error(`usage: ${usage}`)
  process.exit(2)
}
const target = resolve(folder)
await mkdir(target, { recursive: true })

const operatorPort = await freePort()
const service = await startService({ SANDBOX_OPERATOR_LISTEN: `127.0.0.1:${operatorPort}` })
const browser = await startBrowser()
const consoleRoot = `${service.url}/console/`
const operatorRoot = `http://127.0.0.1:${operatorPort}/operator/`
try {
  const world = await makeConsoleWorld(service, 'sales-report')
  const screens = await makeScreens(world)
  const page = await (await newContext(browser)).newPage()
  await takeScreens(page, consoleRoot, { 'sign-in': 'sign-in' })
  await signIn(page, service.user, service.password)
  await page.getByRole('heading', { level: 1, name: 'Rooms' }).waitFor()
  await takeScreens(page, consoleRoot, screens)

  const operator = await (await newContext(browser)).newPage()
  await takeScreens(operator, operatorRoot, { 'operator-sign-in': 'sign-in' })
  const { address } = await service.sandbox<{ address: string }>('operator', 'console')
  await operator.goto(address)
  await operator.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  await takeScreens(operator, operatorRoot, operatorScreens(world.tenant.companyId))
  await mkdir(join(checkout, 'docs/images'), { recursive: true })
  await cp(join(target, 'run-result-wide-light.png'), join(checkout, 'docs/images/run.png'))
} finally {
  await browser.close()
  await service.stop()
}

/** Pictures of screens, which are paths below `root` by the names of their pictures. */
async function takeScreens(page: Page, root: string, screens: Record<string, string>): Promise<void> {
  for (const [name, path] of Object.entries(screens)) {
    await page.goto(`${root}${path}`)
    await waitForScreen(page)
    for (const [width, viewport] of Object.entries(widths)) {
      await page.setViewportSize(viewport)
      for (const colorScheme of themes) {
        await page.emulateMedia({ colorScheme })
        const path = join(target, `${name}-${width}-${colorScheme}.png`)
        await page.screenshot({ path, animations: 'disabled' })
      }
    }
    console.log(name)
  }
}
