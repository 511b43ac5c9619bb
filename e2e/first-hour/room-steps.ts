import { chromium } from 'playwright-core'
import type { Step } from './step.ts'
import type { World } from './world.ts'

const room = 'daily-numbers'

export function roomSteps(world: World): Step[] {
  const mia = () => world.commandOf('mia')
  let runId = ''
  let page = ''
  const step = (does: string, run: () => Promise<unknown>): Step => ({
    person: 'person in a room',
    does,
    run: async () => void (await run()),
  })
  return [
    step('runs a shared task with fields from the command line, and follows its log', async () => {
      const text = await (await mia()).must(
        ['run', 'python', '--room', room, '--set', 'text=four words and two', '--watch'],
        'counting',
        '"words"',
      )
      runId = /run_[0-9a-f]+/.exec(text)?.[0] ?? ''
      if (runId === '') throw new Error(`no id of the run:\n${text}`)
    }),
    step('reads the output again', async () =>
      (await mia()).must(['output', runId, '--room', room], '"words"'),
    ),
    step('shares a page of the result', async () => {
      const text = await (await mia()).must(['links', runId, '--room', room, '--share'], 'http')
      page = /http\S+/.exec(text)?.[0] ?? ''
    }),
    step('opens the page in a browser on a phone', async () => {
      const browser = await chromium.launch({
        executablePath: '/usr/bin/chromium-headless-shell',
        // Chromium's own sandbox does not start as root. The page is our own.
        args: ['--no-sandbox'],
      })
      try {
        const tab = await browser.newPage({ viewport: { width: 390, height: 800 } })
        await tab.goto(page)
        await tab.getByRole('heading', { name: 'Counts the words of a text' }).waitFor({ timeout: 10_000 })
        await tab.getByText('words').first().waitFor({ timeout: 10_000 })
        const excess = await tab.evaluate('document.documentElement.scrollWidth - window.innerWidth')
        if (Number(excess) > 0) throw new Error(`the page is ${excess} pixels too wide`)
      } finally {
        await browser.close()
      }
    }),
    step('revokes the page, which is gone', async () => {
      await (await mia()).must(['links', runId, '--room', room, '--revoke', 'all'])
      const { status } = await fetch(page)
      if (status !== 404) throw new Error(`the page answers ${status}`)
    }),
  ]
}
