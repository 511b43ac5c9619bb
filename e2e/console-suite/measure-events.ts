import { percentile } from '../../bench/harness/measure/percentile.ts'
import { ended, publish, runWhen, submit } from '../main-job/tenant.ts'
import type { Figure } from './figure.ts'
import type { Measured } from './measured.ts'

const rounds = 10
/** Longer than the second in which lists are read again only once: the next new run is in its list at once. */
const pauseMs = 1500

/**
 * From the end of a run in the database until its row of the room shows it. Both clocks are that of this machine. The
 * runs are short: their lists are not read again between their start and their end.
 */
export async function measureEvents({ world, openSignedIn }: Measured): Promise<Figure[]> {
  const { tenant, environmentVersion, service } = world
  const version = await publish(tenant, {
    environmentVersion,
    workScript: 'echo {} >"$SERVICE_OUTPUT_FILE"',
  })
  const page = await openSignedIn()
  await page.goto(`${service.url}/console/chatrooms/${tenant.room}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  const samples: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    await page.waitForTimeout(pauseMs)
    const { id } = await submit(tenant, version, {})
    const drawn = page.evaluate<number>(`(${whenDrawn})(${JSON.stringify(id)})`)
    const { terminal_at: endedAt } = await runWhen(tenant, id, ended)
    samples.push((await drawn) - Date.parse(endedAt ?? ''))
  }
  await page.context().close()
  const of = { measure: 'events', unit: 'ms' } as const
  return [
    { ...of, what: 'end of a run until it is drawn, median', value: percentile(samples, 0.5), most: 100 },
    { ...of, what: 'the same, 95 of 100', value: percentile(samples, 0.95), most: null },
  ]
}

/** In the page: the time of the frame in which the row of a run shows that it is completed. */
const whenDrawn = `(id) => new Promise((drawn) => {
  const look = () => {
    const row = document.querySelector('a[href$="/runs/' + id + '"]')?.closest('li')
    if (!row?.textContent?.includes('Completed')) return
    observer.disconnect()
    requestAnimationFrame(() => drawn(performance.timeOrigin + performance.now()))
  }
  const observer = new MutationObserver(look)
  observer.observe(document, { subtree: true, childList: true, characterData: true })
  look()
})`
