import { waitForScreen } from '../console/console-browser.ts'
import { firstLoadOf } from '../console/first-load.ts'
import { makeScreens } from '../console/screens.ts'
import type { Figure } from './figure.ts'
import type { Measured } from './measured.ts'
import { rendererOf } from './renderer.ts'

/** Of each screen, in a browser that has nothing of the console yet: what it loads, and the processor time until it is drawn. */
export async function measureScreens({ world, browser, openSignedIn }: Measured): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const [name, path] of Object.entries(await makeScreens(world))) {
    const page = await openSignedIn()
    const renderer = await rendererOf(browser, page)
    const before = await renderer.threadMs()
    await page.goto(`${world.service.url}/console/${path}`)
    await waitForScreen(page)
    const drawnMs = (await renderer.threadMs()) - before
    const of = { measure: 'screens' } as const
    figures.push(
      { ...of, what: `${name}: first load`, value: await firstLoadOf(page), unit: 'KiB', most: 250 },
      { ...of, what: `${name}: main thread until drawn`, value: drawnMs, unit: 'ms', most: 350 },
    )
    await page.context().close()
  }
  return figures
}
