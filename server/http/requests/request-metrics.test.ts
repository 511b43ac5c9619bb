import { request } from 'node:http'
import { register } from 'prom-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../../testing/eventually.ts'
import { createLog } from '../../base/logging.ts'
import { createApp } from '../app.ts'

const app = createApp(createLog('test', 'silent'))
let address: string
beforeAll(async () => {
  app.get('/things/:thing', async () => ({ thing: 1 }))
  address = await app.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(() => app.close())

/** Counted requests by their labels. */
async function counted(): Promise<Map<string, number>> {
  const { values } = (await register.getSingleMetric('sandbox_http_requests_total')?.get()) ?? { values: [] }
  return new Map(values.map(({ labels, value }) => [Object.values(labels).join(' '), value]))
}

test('requests are counted by declared route and status class, never by what a client chose', async () => {
  register.resetMetrics()
  await (await fetch(`${address}/things/sbx_secret`)).text()
  await (await fetch(`${address}/sbx_path?q=sbx_query`)).text()
  await new Promise<void>((resolve) => {
    request(`${address}/sbx_other`, { method: 'PROPFIND' }, (answer) =>
      answer.resume().on('end', resolve),
    ).end()
  })
  await eventually(async () => {
    const all = await counted()
    expect([
      all.get('GET /things/:thing 2xx'),
      all.get('GET none 4xx'),
      all.get('PROPFIND none 4xx'),
    ]).toEqual([1, 1, 1])
  })
  expect(await register.metrics()).not.toContain('sbx_')
})
