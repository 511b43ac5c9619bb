import type { EnvironmentVersion } from '@sandbox-jobs/contract/resources/environments/environment-version.ts'
import { environmentRoutes } from '@sandbox-jobs/contract/routes/environment-routes.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { LogPart } from '../../../agent/port/results.ts'
import { TestApi } from '../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeTenant, type Tenant } from '../../../testing/factories/tenant.ts'
import { createLog } from '../../base/logging.ts'
import { LogFollowers, type PositionedEvent } from '../../live-logs/log-followers.ts'
import { LogSources } from '../../live-logs/log-sources.ts'
import { DatabaseLogUpdates, liveLogChannel } from '../../live-logs/log-updates.ts'
import { liveLogWriter } from '../../live-logs/stream-live-log.ts'
import { listen } from '../../work/listener.ts'
import { buildLogKey } from './build-log-store.ts'
import { followBuildLog } from './follow-build.ts'

const { db, url } = await createTestDatabase()
const api = new TestApi(db)
const log = createLog('test', 'silent')
const { signal } = new AbortController()
const context = { ...api.context, followers: new LogFollowers(db, new DatabaseLogUpdates({ url, log })) }

/** Output of the build's sandbox so far. */
let printed = ''
const executor = {
  logSince: async (_id: string, position: number): Promise<LogPart> => ({
    start: position,
    bytes: Buffer.from(printed).subarray(position),
  }),
}
const offers = new LogSources({ executor, write: liveLogWriter(db), log })
const { promise: listening, resolve: onListening } = Promise.withResolvers<void>()
const listener = listen({
  url,
  channels: [liveLogChannel],
  onNotification: (_channel, id) => offers.onRequested(id),
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

const manager = async () => tenant.companyManager

async function makeBuild() {
  const { id } = await api.environments.create(tenant.companyManager)
  const version: EnvironmentVersion = await api.environments.version(tenant.companyManager, id)
  const params = { id, vid: version.id }
  const attempt = await api.must(environmentRoutes.createBuild, tenant.companyManager, {
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
  it('is streamed while it is written, and the rest from the stored log', async () => {
    const path = await makeBuild()
    const withdraw = offers.register(path.attemptId, 'sandbox_1')
    printed = 'STEP 1/2: FROM scratch\n'
    const events = await followBuildLog(context, manager, { ...path, start: 0, signal })
    expect((await events.next()).value).toMatchObject({ event: { kind: 'log', start: 0, text: printed } })
    printed += '\u001b[31mSTEP 2/2\n'
    expect((await events.next()).value).toMatchObject({ event: { text: '\u001b[31mSTEP 2/2\n' } })
    withdraw()
    await api.context.storage.put(buildLogKey(path.attemptId), Buffer.from(`${printed}Error: no\n`))
    await end(path.attemptId)
    const rest: PositionedEvent[] = []
    for await (const placed of events) rest.push(placed)
    expect(rest.map(({ event }) => event)).toEqual([
      { kind: 'log', start: printed.length, text: 'Error: no\n' },
      { kind: 'end', status: 'customer_failed' },
    ])
  })

  it('is empty if the build printed nothing', async () => {
    const path = await makeBuild()
    await end(path.attemptId)
    const events = await followBuildLog(context, manager, { ...path, start: 7, signal })
    expect((await events.next()).value).toEqual({
      position: 7,
      event: { kind: 'end', status: 'customer_failed' },
    })
  })

  it('is hidden from users who do not manage the environment, also if that changes while they follow', async () => {
    const path = await makeBuild()
    for (const person of [tenant.member, tenant.stranger]) {
      await expect(
        followBuildLog(context, async () => person, { ...path, start: 0, signal }),
      ).rejects.toMatchObject({
        code: 'not_found',
      })
    }
    const events = await followBuildLog(context, manager, { ...path, start: 0, signal })
    const next = events.next()
    await db
      .updateTable('build_attempts')
      .set({ company_id: (await makeTenant(db)).companyId })
      .execute()
    await expect(next).rejects.toMatchObject({ code: 'not_found' })
  })
})
