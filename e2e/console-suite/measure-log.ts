import { ended, publish, runWhen, submit } from '../main-job/tenant.ts'
import type { Figure } from './figure.ts'
import type { Measured } from './measured.ts'
import { rendererOf, scrolledFrameMs } from './renderer.ts'

const lines = 1_000_000
/** A rare word near the end: the search reads all. */
const sought = `line ${lines - 10} `
const frames = 300
/** For a search that never ends. */
const searchMaxMs = 20_000

/** A log of a million lines, 50 MB, that a run printed. */
export async function measureLog({ world, browser, openSignedIn }: Measured): Promise<Figure[]> {
  const { tenant, environmentVersion, service } = world
  const version = await publish(tenant, {
    environmentVersion,
    workScript: `awk 'BEGIN { for (n = 1; n <= ${lines}; n++) print "line " n " of a log, with 30 characters more." }'; echo {} >"$SERVICE_OUTPUT_FILE"`,
    timeoutSeconds: 300,
  })
  const { id } = await submit(tenant, version, {})
  const run = await runWhen(tenant, id, ended)
  if (run.status !== 'completed') throw new Error(`the log was not printed: ${JSON.stringify(run)}`)

  const page = await openSignedIn()
  const renderer = await rendererOf(browser, page)
  await page.addInitScript(noteFirstLine)
  const startedAt = Date.now()
  await page.goto(`${service.url}/console/chatrooms/${tenant.room}/runs/${id}/log`)
  await page.getByText('line 1 of a log').waitFor()
  const firstMs = await page.evaluate<number>('firstLineAt')
  const list = page.getByRole('region', { name: 'Log' })
  await list.press('End')
  await page.getByText(`line ${lines} of a log`).waitFor()
  const wholeMs = Date.now() - startedAt
  await list.press('Home')
  const frameMs = await scrolledFrameMs(page, renderer, {
    list: `document.querySelector('[role="region"][aria-label="Log"]')`,
    ...{ frames, step: 400 },
  })

  const soughtAt = Date.now()
  await page.getByLabel('Search in the log').fill(sought)
  const status = page.locator('search').getByRole('status')
  const found = status.filter({ hasText: /^1 (line matches|of 1)$/ })
  // A search that does not end misses its bar; the other figures are still those of this log.
  await found.waitFor({ timeout: searchMaxMs }).catch(() => undefined)
  const searchMs = Date.now() - soughtAt
  const memory = await renderer.memoryMiB()
  await page.context().close()
  const of = { measure: 'log' } as const
  return [
    { ...of, what: 'first of 1,000,000 lines after navigation', value: firstMs, unit: 'ms', most: 1000 },
    { ...of, what: 'last line after navigation', value: wholeMs, unit: 'ms', most: null },
    { ...of, what: 'main thread, a scrolled frame', value: frameMs, unit: 'ms', most: 8 },
    { ...of, what: 'search of all lines', value: searchMs, unit: 'ms', most: 1000 },
    { ...of, what: 'memory of the renderer', value: memory, unit: 'MiB', most: 350 },
  ]
}

/** In the page, whose answers to this program wait behind its work: the frame with the first line, after the start of the navigation. */
const noteFirstLine = `{
  const look = () => {
    const shown = document.querySelector('[role="region"][aria-label="Log"]')
    if (!shown?.textContent?.includes('line 1 of a log')) return
    observer.disconnect()
    requestAnimationFrame(() => { globalThis.firstLineAt = performance.now() })
  }
  const observer = new MutationObserver(look)
  observer.observe(document, { subtree: true, childList: true, characterData: true })
}`
