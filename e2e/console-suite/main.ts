import { parseArgs } from 'node:util'
import { machineNote } from '../../bench/harness/measure/machine-note.ts'
import { newContext, openPage, signIn, startBrowser } from '../console/console-browser.ts'
import { makeConsoleWorld } from '../console/console-world.ts'
import { startService } from '../main-job/service.ts'
import { type Figure, isMissed, tableText } from './figure.ts'
import { measureEvents } from './measure-events.ts'
import { measureLog } from './measure-log.ts'
import { measureRuns } from './measure-runs.ts'
import { measureScreens } from './measure-screens.ts'
import type { Measured } from './measured.ts'

/*
 * Measures the web console in Chromium on a service of its own, against the most that each value may be. Times of the main thread are
 * processor time; all others are of the clock, which other load of the machine prolongs.
 */
const measures: Readonly<Record<string, (measured: Measured) => Promise<Figure[]>>> = {
  log: measureLog,
  runs: measureRuns,
  events: measureEvents,
  screens: measureScreens,
}
const usage = `npm run console-suite -- [--only NAME]... [--json]\nmeasures: ${Object.keys(measures).join(', ')}`

const { values } = parseArgs({
  options: { only: { type: 'string', multiple: true }, json: { type: 'boolean', default: false } },
})
const chosen = values.only ?? Object.keys(measures)
if (!chosen.every((name) => Object.hasOwn(measures, name))) {
  console.error(`usage: ${usage}`)
  process.exit(2)
}

const service = await startService()
const browser = await startBrowser()
const figures: Figure[] = []
/** Errors of each page, as the browser reports them. */
const reported: string[][] = []
try {
  const world = { ...(await makeConsoleWorld(service)), service }
  const first = await (await newContext(browser)).newPage()
  await first.goto(`${service.url}/console/`)
  await signIn(first, service.user, service.password)
  await first.getByRole('heading', { level: 1, name: 'Rooms' }).waitFor()
  const storageState = await first.context().storageState()
  await first.context().close()
  const openSignedIn = async () => {
    const { page, faults } = await openPage(await newContext(browser, { storageState }))
    reported.push(faults)
    page.on('crash', () => {
      throw new Error(`the browser ended the page ${page.url()}`)
    })
    return page
  }
  const note = machineNote()
  for (const name of chosen)
    figures.push(...((await measures[name]?.({ world, browser, openSignedIn })) ?? []))
  console.log(values.json ? JSON.stringify(figures) : `${tableText(figures)}- ${note()}`)
} finally {
  for (const fault of reported.flat()) console.error(fault)
  await browser.close()
  await service.stop()
}
if (figures.some(isMissed)) process.exitCode = 1
