import { extensionRoutes } from '@sandbox-jobs/contract/routes/extension-routes.ts'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { refuseCredentials } from '../access/authentication/authentication.ts'
import type { CurrentPrincipal, Principal } from '../access/principal.ts'
import { sleep } from '../base/clock.ts'
import { newId } from '../base/ids.ts'
import { createLog } from '../base/logging.ts'
import { createApp } from './app.ts'
import { currentCaller } from './caller.ts'
import { mounter } from './mount.ts'
import { eventStream, eventStreamHeaders } from './responses/event-stream.ts'

const roomId = newId('chatroom')
const member: Principal = {
  companyId: newId('company'),
  principalType: 'user',
  principalId: newId('user'),
  authMethod: 'api_key',
  role: 1,
  managedDepartmentIds: [],
  apiKey: { id: newId('apiKey'), scope: 'sandbox', allowedChatroomIds: [roomId] },
}
let authenticated: () => Promise<Principal>
let origin = ''

/** An event every few milliseconds, with the role of who follows. */
async function* ticks(current: CurrentPrincipal) {
  for (let position = 1; ; position += 1) {
    const { role } = await current()
    yield { position, event: { kind: 'log', role } }
    await sleep(5)
  }
}

const app = createApp(createLog('test', 'silent'))
let authentications = 0
const authenticate = () => {
  authentications += 1
  return authenticated()
}
mounter(app, { authenticate, isEnabled: () => true })(
  extensionRoutes.followRunLog,
  async ({ request, reply }) =>
    reply.headers(eventStreamHeaders).send(eventStream(ticks(currentCaller(request, 50)))),
)
beforeAll(async () => {
  origin = await app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(async () => {
  app.server.closeAllConnections()
  await app.close()
})
beforeEach(() => {
  authenticated = async () => member
})

/** The events of a stream, until it has one with this text. */
async function follow() {
  const path = extensionRoutes.followRunLog.path.replace('{cid}', roomId).replace('{rid}', newId('run'))
  const { body } = await fetch(`${origin}${path}`)
  const reader = (body as ReadableStream<Uint8Array>).getReader()
  let text = ''
  return async (wanted: string) => {
    while (!text.includes(wanted)) {
      const { done, value } = await reader.read()
      if (done) throw new Error('ended')
      text += Buffer.from(value).toString()
    }
  }
}

it('an event stream acts with the present role of its follower', async () => {
  const until = await follow()
  await until('"role":1')
  authenticated = async () => ({ ...member, role: 3 })
  await until('"role":3')
})

it.each<[string, () => Promise<Principal>]>([
  ['whose key is revoked', async () => Promise.reject(refuseCredentials())],
  [
    'whose key is for other rooms now',
    async () => ({ ...member, apiKey: { id: 'key_1', scope: 'sandbox', allowedChatroomIds: [] } }),
  ],
])('an event stream ends for a follower %s', async (_, next) => {
  const until = await follow()
  await until('"role":1')
  authenticated = next
  await expect(until('never sent')).rejects.toThrow()
})

it('who follows is not read for each event', async () => {
  authentications = 0
  const until = await follow()
  await until('id: 40')
  expect(authentications).toBeLessThan(20)
})
