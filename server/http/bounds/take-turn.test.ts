import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { setImmediate as nextRound } from 'node:timers/promises'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { afterEach, expect, it } from 'vitest'
import type { Presented } from '../../access/authentication/browser-sign-in.ts'
import type { Principal } from '../../access/principal.ts'
import { defaultSchedulerBounds, RequestScheduler } from '../../fairness/request-scheduler.ts'
import { createApp } from '../app.ts'
import { mounter } from '../mount.ts'

let app: FastifyInstance
afterEach(() => app.close())

/** Requests name their company in the header `company`, and run `work` when `known` has let them. */
function start(work: (company: string) => Promise<void>, known = async () => {}): void {
  app = createApp(pino({ level: 'silent' }))
  const authenticate = async ({ headers: { company } }: Presented) => {
    await known()
    return { companyId: String(company), role: 4 } as Principal
  }
  // A pause of this process of a second would make a company idle and a request held.
  const untimed = { activeMs: 60_000, heldMs: 60_000 }
  const scheduler = new RequestScheduler({ ...defaultSchedulerBounds, ...untimed, atWork: 4 })
  const mount = mounter(app, { authenticate, isEnabled: () => true, scheduler })
  const handler = async ({ principal }: { principal: Principal }) => {
    await work(principal.companyId)
    return {} as never
  }
  mount(allRoutes.previewInput, handler)
  mount(allRoutes.readCompany, handler)
}

const url = allRoutes.previewInput.path.replaceAll(/\{\w+\}/g, '00000000000000000000000000000000')

const ask = (company: string) =>
  app.inject({ method: 'POST', url, headers: { company }, payload: { input: 1 } })

it('limits the running requests of a company to its share while another company is active', async () => {
  const atWork = new Map<string, number>()
  let most = 0
  start(async (company) => {
    const count = (atWork.get(company) ?? 0) + 1
    atWork.set(company, count)
    if (company === 'a') most = Math.max(most, count)
    await nextRound()
    // Others have begun or ended meanwhile.
    atWork.set(company, (atWork.get(company) ?? 0) - 1)
  })
  await ask('b')
  const flood = Array.from({ length: 50 }, () => ask('a'))
  let isOver = false
  const otherActive = async () => {
    while (!isOver) await ask('b')
  }
  const other = otherActive()
  const answers = await Promise.all(flood)
  isOver = true
  await other
  expect(answers.every(({ statusCode }) => statusCode === 200)).toBe(true)
  expect(most).toBe(2)
})

it('does not run a request whose sender left before its turn', async () => {
  const { promise: go, resolve } = Promise.withResolvers<void>()
  let worked = 0
  start(async (company) => {
    if (company !== 'a') return
    worked += 1
    await go
  })
  await ask('b')
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const first = [ask('a'), ask('a')]
  const socket = connect(port, '127.0.0.1')
  const body = JSON.stringify({ input: 1 })
  const asked = once(app.server, 'request') as Promise<[IncomingMessage, ServerResponse]>
  socket.write(
    `POST ${url} HTTP/1.1\r\nHost: x\r\nCompany: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  )
  const [request, response] = await asked
  if (!request.readableEnded) await once(request, 'end')
  socket.destroy()
  await once(response, 'close')
  resolve()
  await Promise.all(first)
  await ask('a')
  expect(worked).toBe(3)
})

it('does not run a request whose sender left while it was authenticated', async () => {
  const asked = Promise.withResolvers<void>()
  const known = Promise.withResolvers<void>()
  let worked = 0
  start(
    async () => {
      worked += 1
    },
    async () => {
      asked.resolve()
      await known.promise
    },
  )
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const socket = connect(port, '127.0.0.1')
  const request = once(app.server, 'request') as Promise<[IncomingMessage, ServerResponse]>
  // Without a body, whose end would show that the sender has left.
  socket.write(`GET ${allRoutes.readCompany.path} HTTP/1.1\r\nHost: x\r\nCompany: a\r\n\r\n`)
  const [, response] = await request
  await asked.promise
  socket.destroy()
  await once(response, 'close')
  known.resolve()
  for (let round = 0; round < 20; round += 1) await nextRound()
  expect(worked).toBe(0)
})
