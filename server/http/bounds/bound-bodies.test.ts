import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Presented } from '../../access/authentication/browser-sign-in.ts'
import type { Principal } from '../../access/principal.ts'
import { BodySpace } from '../../fairness/body-space.ts'
import { createApp } from '../app.ts'
import { mounter } from '../mount.ts'

const url = allRoutes.previewInput.path.replaceAll(/\{\w+\}/g, '00000000000000000000000000000000')
const body = JSON.stringify({ input: 'x'.repeat(100_000) })

let app: FastifyInstance
const sockets: Socket[] = []

beforeEach(async () => {
  app = createApp(pino({ level: 'silent' }), { bodySpace: new BodySpace(2 * body.length) })
  const authenticate = async ({ headers: { company, person } }: Presented) =>
    ({ companyId: String(company), principalId: String(person), role: 4 }) as Principal
  mounter(app, { authenticate, isEnabled: () => true })(allRoutes.previewInput, async () => ({}) as never)
  await app.listen({ host: '127.0.0.1', port: 0 })
})
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await app.close()
})

/** Sends a request of the company with a part of its body, and returns its socket and whether it was answered. */
async function send(company: string, sent = body.length, person: string = randomUUID()) {
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  sockets.push(socket)
  const state = { socket, isAnswered: false }
  socket
    .on('error', () => {})
    .on('data', () => {
      state.isAnswered = true
    })
  const arrived = once(app.server, 'request')
  socket.write(
    `POST ${url} HTTP/1.1\r\nhost: a\r\ncompany: ${company}\r\nperson: ${person}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body.slice(0, sent)}`,
  )
  await arrived
  return state
}

it('lets a body of a company wait for those before it, and none of another company', async () => {
  const slow = [await send('a', 1000), await send('a', 1000)]
  const waiting = await send('a')
  const left = await send('a')
  left.socket.destroy()
  const other = await send('b')
  await expect.poll(() => other.isAnswered).toBe(true)
  await sleep(100)
  expect(waiting.isAnswered).toBe(false)
  slow[0]?.socket.write(body.slice(1000))
  await expect.poll(() => waiting.isAnswered).toBe(true)
  expect(slow[0]?.isAnswered).toBe(true)
  slow[1]?.socket.destroy()
  const later = await Promise.all([send('a'), send('a'), send('a')])
  await expect.poll(() => later.every(({ isAnswered }) => isAnswered)).toBe(true)
})

it('lets slow bodies of one person leave space to the others of the company', async () => {
  const slow = [await send('a', 1000, 'one'), await send('a', 1000, 'one'), await send('a', 1000, 'one')]
  const other = await send('a', body.length, 'another')
  await expect.poll(() => other.isAnswered).toBe(true)
  expect(slow.some(({ isAnswered }) => isAnswered)).toBe(false)
})

it('keeps no space for a request behind an answer that closed the connection', async () => {
  for (let at = 0; at < 3; at += 1) {
    const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
    sockets.push(socket)
    const closed = once(socket, 'close')
    const head = `POST ${url} HTTP/1.1\r\nhost: a\r\ncompany: a\r\nperson: ${at}\r\ncontent-type: application/json\r\n`
    socket.resume().write(`${head}content-length: 1\r\n\r\n{${head}content-length: ${body.length}\r\n\r\n{`)
    await closed
  }
  const whole = await send('a')
  await expect.poll(() => whole.isAnswered).toBe(true)
})
