import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { createApp } from '../app.ts'
import { waitSignal } from './wait-signal.ts'

it('lets an answer that waits end when the app closes, or its reader leaves', async () => {
  const app = createApp(pino({ level: 'silent' }))
  const waiting = Promise.withResolvers<void>()
  let ended = 0
  app.get('/wait', async (_request, reply) => {
    const signal = waitSignal(reply)
    waiting.resolve()
    if (!signal.aborted) await once(signal, 'abort')
    ended += 1
    return 'still running'
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/wait`
  const leaver = new AbortController()
  const left = fetch(url, { signal: leaver.signal })
  await waiting.promise
  leaver.abort()
  await expect(left).rejects.toThrow()
  await expect.poll(() => ended).toBe(1)
  const answer = fetch(url)
  await once(app.server, 'request')
  await app.close()
  expect(await (await answer).text()).toBe('still running')
})
