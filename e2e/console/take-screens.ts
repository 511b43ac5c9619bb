import { cp, mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { checkout, startService } from '../main-job/service.ts'
import { newContext, signIn, startBrowser, waitForScreen } from './console-browser.ts'
import { makeConsoleWorld } from './console-world.ts'
import { makeScreens } from './screens.ts'

/*
 * Takes a picture of every screen of the console in four forms: two widths, and light and dark. Starts a service of its own with the
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

const service = await startService()
const browser = await startBrowser()
try {
  const world = await makeConsoleWorld(service, 'sales-report')
  const screens = await makeScreens(world)
  const context = await newContext(browser)
  const page = await context.newPage()
  await page.goto(`${service.url}/console/`)
  await signIn(page, service.user, service.password)
  await page.getByRole('heading', { level: 1, name: 'Rooms' }).waitFor()
  for (const [name, path] of Object.entries(screens)) {
    await page.goto(`${service.url}/console/${path}`)
    await waitForScreen(page)
    for (const [width, viewport] of Object.entries(widths)) {
      await page.setViewportSize(viewport)
      for (const colorScheme of themes) {
        await page.emulateMedia({ colorScheme })
        await page.screenshot({
          path: join(target, `${name}-${width}-${colorScheme}.png`),
          animations: 'disabled',
        })
      }
    }
    console.log(name)
  }
  await mkdir(join(checkout, 'docs/images'), { recursive: true })
  await cp(join(target, 'run-result-wide-light.png'), join(checkout, 'docs/images/run.png'))
} finally {
  await browser.close()
  await service.stop()
}
