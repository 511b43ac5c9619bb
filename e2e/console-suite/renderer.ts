import { readFile } from 'node:fs/promises'
import type { Browser, CDPSession, Page } from 'playwright-core'

/** The process of a page, as the browser reports it. */
export interface Renderer {
  /** Processor time of its main thread so far, which no other load of the machine changes. */
  threadMs: () => Promise<number>
  /** Its memory and its part of what it shares. */
  memoryMiB: () => Promise<number>
}

interface Process {
  type: string
  id: number
}

/** The browser has no other page: the largest renderer is that of this one. */
export async function rendererOf(browser: Browser, page: Page): Promise<Renderer> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  const whole = await browser.newBrowserCDPSession()
  return {
    threadMs: () => threadMs(session),
    memoryMiB: async () => {
      const { processInfo } = (await whole.send('SystemInfo.getProcessInfo')) as { processInfo: Process[] }
      const renderers = processInfo.filter(({ type }) => type === 'renderer')
      return Math.max(...(await Promise.all(renderers.map(({ id }) => pssMiB(id)))))
    },
  }
}

async function threadMs(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics')
  const seconds = metrics.find(({ name }) => name === 'ThreadTime')?.value
  if (seconds === undefined) throw new Error('this browser does not report the time of a thread')
  return seconds * 1000
}

async function pssMiB(pid: number): Promise<number> {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8')
  return Number(/^Pss:\s+(\d+) kB$/m.exec(rollup)?.[1]) / 1024
}

interface Scrolled {
  /** The element that scrolls, as an expression in the page. */
  list: string
  frames: number
  /** Pixels of a frame. */
  step: number
}

/** Time of the main thread for a frame, while the list moves. */
export async function scrolledFrameMs(
  page: Page,
  renderer: Renderer,
  { list, frames, step }: Scrolled,
): Promise<number> {
  const before = await renderer.threadMs()
  await page.evaluate(`(${scroll})(${list}, ${frames}, ${step})`)
  return ((await renderer.threadMs()) - before) / frames
}

/** In the page. */
const scroll = `(element, frames, step) => new Promise((done) => {
  let left = frames
  const next = () => {
    element.scrollTop += step
    left -= 1
    if (left > 0) requestAnimationFrame(next)
    else requestAnimationFrame(() => done())
  }
  requestAnimationFrame(next)
})`
