import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Presented } from '../../access/authentication/browser-sign-in.ts'
import type { Principal } from '../../access/principal.ts'
import { AnswerSpace } from '../../fairness/answer-space.ts'
import { createApp } from '../app.ts'
import { mounter } from '../mount.ts'

const { path } = allRoutes.readMe
/** Much more than a connection takes that nobody reads. */
const text = 'x'.repeat(16 * 1024 ** 2)

let app: FastifyInstance
const sockets: Socket[] = []

beforeEach(async () => {
  app = createApp(pino({ level: 'silent' }), { answerSpace: new AnswerSpace(2.5 * text.length) })
  const authenticate = async ({ headers: { company } }: Presented) =>
    ({ companyId: String(company), principalId: 'usr_1', role: 4 }) as Principal
  mounter(app, { authenticate, isEnabled: () => true })(allRoutes.readMe, async () => ({ text }))
  await app.listen({ host: '127.0.0.1', port: 0 })
})
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await app.close()
})

/** Asks for an answer, and reads its first bytes. */
async function ask(company: string) {
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  sockets.push(socket.on('error', () => {}))
  socket.write(`GET ${path} HTTP/1.1\r\nhost: a\r\ncompany: ${company}\r\nconnection: close\r\n\r\n`)
  await once(socket, 'readable')
  return socket
}

async function restOf(socket: Socket): Promise<number> {
  let bytes = 0
  socket.on('data', (piece: Buffer) => {
    bytes += piece.length
  })
  await once(socket, 'close')
  return bytes
}

it('readers that take nothing keep a bounded number of bytes of their company in memory, and none of others', async () => {
  const [first, other] = [await ask('com_a'), await ask('com_b')]
  const [second, third] = [await ask('com_a'), await ask('com_a')]
  expect(await restOf(first)).toBeLessThan(text.length)
  for (const socket of [other, second, third])
    expect(await restOf(socket)).toBeGreaterThanOrEqual(text.length)
})
