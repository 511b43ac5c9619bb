import { copyRun } from '../console/copy-run.ts'
import { ended, publish, runWhen, submit } from '../main-job/tenant.ts'
import type { Figure } from './figure.ts'
import type { Measured } from './measured.ts'
import { rendererOf, scrolledFrameMs } from './renderer.ts'

const runs = 100_000
const frames = 200
const grid = `document.querySelector('[role="grid"]')`
/** Of a frame: a quick turn of the wheel, and a drag of the scroll bar over half a page of the API. */
const steps = { wheel: 200, drag: 10_000 }

/** The list of a company with 100,000 runs: the first rows, scrolling, which reads the pages in view, and the last rows. */
export async function measureRuns({ world, browser, openSignedIn }: Measured): Promise<Figure[]> {
  const { tenant, environmentVersion, service } = world
  const version = await publish(tenant, {
    environmentVersion,
    workScript: 'echo {} >"$SERVICE_OUTPUT_FILE"',
  })
  const { id } = await submit(tenant, version, {})
  await runWhen(tenant, id, ended)
  await copyRun(service.dataDir, { id, companyId: tenant.companyId }, runs)

  const page = await openSignedIn()
  const renderer = await rendererOf(browser, page)
  const rowsWithLinks = page.locator('[role="grid"] [role="row"]:has(a)')
  const startedAt = Date.now()
  await page.goto(`${service.url}/console/runs`)
  await rowsWithLinks.nth(5).waitFor()
  const firstMs = Date.now() - startedAt
  const wheelMs = await scrolledFrameMs(page, renderer, { list: grid, frames, step: steps.wheel })
  const dragMs = await scrolledFrameMs(page, renderer, { list: grid, frames, step: steps.drag })
  const nodes = await page.evaluate<number>(`${grid}.querySelectorAll('*').length`)
  const list = page.getByRole('grid')
  const endAt = Date.now()
  await list.press('End')
  await page.locator(`[role="row"][aria-rowindex="${runs + 1}"]:has(a)`).waitFor()
  const endMs = Date.now() - endAt
  await page.context().close()
  const of = { measure: 'runs', unit: 'ms' } as const
  return [
    { ...of, what: 'first of 100,000 runs after navigation', value: firstMs, most: null },
    { ...of, what: 'main thread, a frame of the wheel', value: wheelMs, most: 8 },
    { ...of, what: 'main thread, a frame of the scroll bar, each at other rows', value: dragMs, most: null },
    { ...of, what: 'elements of the list', value: nodes, unit: 'nodes', most: 3000 },
    { ...of, what: 'last of 100,000 runs after the key', value: endMs, most: null },
  ]
}
