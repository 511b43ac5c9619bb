import type { BuildAttempt } from '@sandbox-jobs/contract/resources/build-attempt.ts'
import type { EnvironmentVersion } from '@sandbox-jobs/contract/resources/environment-version.ts'
import { environmentRoutes } from '@sandbox-jobs/contract/routes/environment-routes.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createLog } from '../base/logging.ts'
import type { LogPart } from '../executor/port.ts'
import { liveLogWriter } from '../live-logs/live-log-writer.ts'
import { LogFollowers, type PlacedEvent } from '../live-logs/log-followers.ts'
import { LogNews } from '../live-logs/log-news.ts'
import { LogOffers, liveLogChannel } from '../live-logs/log-offers.ts'
import { listen } from '../queue/listener.ts'
import { EnvironmentHarness } from '../testing/environment-harness.ts'
import { makeTenant, type Tenant } from '../testing/factories/tenant.ts'
import { createTestDatabase } from '../testing/test-database.ts'
import { buildLogKey } from './build-log-key.ts'
import { followBuildLog } from './follow-build-log.ts'

const { db, url } = await createTestDatabase()
const harness = new EnvironmentHarness(db)
const log = createLog('test', 'silent')
const context = { ...harness.context, followers: new LogFollowers(db, new LogNews({ url, log })) }

/** What the build's sandbox has printed so far. */
let printed = ''
const executor = {
  logSince: async (_id: string, position: number): Promise<LogPart> => ({
    start: position,
    bytes: Buffer.from(printed).subarray(position),
  }),
}
const offers = new LogOffers({ executor, write: liveLogWriter(db), log })
const { promise: listening, resolve: onListening } = Promise.withResolvers<void>()
const listener = listen({
  url,
  channels: [liveLogChannel],
  onMessage: (_channel, id) => offers.wanted(id),
  onListening,
  log,
})
let tenant: Tenant

beforeAll(async () => {
  tenant = await makeTenant(db)
  await listening
})
afterAll(async () => {
  offers.stop()
  await listener.stop()
})

async function makeBuild() {
  const { id } = await harness.environment(tenant.companyManager)
  const version: EnvironmentVersion = await harness.version(tenant.companyManager, id)
  const params = { id, vid: version.id }
  const attempt = await harness.must<BuildAttempt>(environmentRoutes.createBuild, tenant.companyManager, {
    params,
  })
  return { environmentId: id, versionId: version.id, attemptId: attempt.id }
}

const end = (attemptId: string) =>
  db
    .updateTable('build_attempts')
    .set({ state: 'customer_failed', terminal_at: new Date() })
    .where('id', '=', attemptId)
    .execute()

describe('the log of a build', () => {
  it('comes while it is written, and the rest from what the build has left', async () => {
    const path = await makeBuild()
    const withdraw = offers.offer(path.attemptId, 'sandbox_1')
    printed = 'STEP 1/2: FROM scratch\n'
    const events = await followBuildLog(context, tenant.companyManager, { ...path, start: 0 })
    expect((await events.next()).value).toMatchObject({ event: { kind: 'log', start: 0, text: printed } })
    printed += '\u001b[31mSTEP 2/2\n'
    expect((await events.next()).value).toMatchObject({ event: { text: '\u001b[31mSTEP 2/2\n' } })
    withdraw()
    await harness.context.storage.put(buildLogKey(path.attemptId), Buffer.from(`${printed}Error: no\n`))
    await end(path.attemptId)
    const rest: PlacedEvent[] = []
    for await (const placed of events) rest.push(placed)
    expect(rest.map(({ event }) => event)).toEqual([
      { kind: 'log', start: printed.length, text: 'Error: no\n' },
      { kind: 'end', status: 'customer_failed' },
    ])
  })

  it('is empty when the build never came to print', async () => {
    const path = await makeBuild()
    await end(path.attemptId)
    const events = await followBuildLog(context, tenant.companyManager, { ...path, start: 7 })
    expect((await events.next()).value).toEqual({
      position: 7,
      event: { kind: 'end', status: 'customer_failed' },
    })
  })

  it('is hidden from who does not manage the environment, also when that changes on the way', async () => {
    const path = await makeBuild()
    for (const person of [tenant.member, tenant.stranger]) {
      await expect(followBuildLog(context, person, { ...path, start: 0 })).rejects.toMatchObject({
        code: 'not_found',
      })
    }
    const events = await followBuildLog(context, tenant.companyManager, { ...path, start: 0 })
    const next = events.next()
    await db
      .updateTable('build_attempts')
      .set({ company_id: (await makeTenant(db)).companyId })
      .execute()
    await expect(next).rejects.toMatchObject({ code: 'not_found' })
  })
})
