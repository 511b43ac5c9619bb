import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { afterEach, expect, it } from 'vitest'
import { refuseCredentials } from '../access/authentication/authentication.ts'
import type { Principal } from '../access/principal.ts'
import { createApp } from './app.ts'
import { mounter } from './mount.ts'

let app: FastifyInstance
afterEach(() => app.close())

const url = allRoutes.previewInput.path.replaceAll(/\{\w+\}/g, '00000000000000000000000000000000')

/** Answers how often the caller was authenticated, and calls the handler with whom it found last. */
async function send(callers: (Principal | undefined)[], callerMaxAgeMs?: number) {
  const handled: (Principal | null)[] = []
  let reads = 0
  app = createApp(pino({ level: 'silent' }))
  const authenticate = async () => {
    const caller = callers[reads]
    reads += 1
    if (!caller) throw refuseCredentials()
    return caller
  }
  const mount = mounter(app, {
    authenticate,
    isEnabled: () => true,
    ...(callerMaxAgeMs !== undefined && { callerMaxAgeMs }),
  })
  mount(allRoutes.previewInput, async ({ principal }) => {
    handled.push(principal)
    return {} as never
  })
  const { statusCode } = await app.inject({ method: 'POST', url, payload: { input: 1 } })
  return { status: statusCode, reads, handled }
}

const [before, after] = [4, 1].map((role) => ({ companyId: 'com_1', role }) as Principal)

it('authenticates a request once while it waits for nothing', async () => {
  expect(await send([before, undefined])).toEqual({ status: 200, reads: 1, handled: [before] })
})

it('reads again who calls after a body or a turn that took long', async () => {
  expect(await send([before, after], 0)).toEqual({ status: 200, reads: 2, handled: [after] })
})

it('refuses who has lost their credential meanwhile', async () => {
  expect(await send([before, undefined], 0)).toEqual({ status: 418, reads: 2, handled: [] })
})
