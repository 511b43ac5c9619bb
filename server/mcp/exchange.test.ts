import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, it } from 'vitest'
import { createLog } from '../base/logging.ts'
import { createApp } from '../http/app.ts'
import { goneSignal } from '../http/responses/send-download.ts'
import { untilHangUp } from './exchange.ts'

it('a handler notices a client that left before it began', async () => {
  const app = createApp(createLog('test', 'silent'))
  const asked = Promise.withResolvers<ServerResponse>()
  const known = Promise.withResolvers<void>()
  const noticed = Promise.withResolvers<boolean[]>()
  app.addHook('onRequest', async (_request, { raw }) => {
    asked.resolve(raw)
    await known.promise
  })
  app.get('/', async (_request, reply) => {
    noticed.resolve([goneSignal(reply).aborted, untilHangUp(reply).aborted])
    return 'nobody reads this'
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n')
  const response = await asked.promise
  socket.destroy()
  await once(response, 'close')
  known.resolve()
  expect(await noticed.promise).toEqual([true, true])
  await app.close()
})
