import { expect, test, vi } from 'vitest'
import { makeBuildTools } from '../testing/build-tools.ts'
import { EnvironmentHarness } from '../testing/environment-harness.ts'
import { makeTenant } from '../testing/factories/tenant.ts'
import { ScriptedExecutor } from '../testing/scripted-executor.ts'
import { createTestDatabase } from '../testing/test-database.ts'
import { claimsMax } from './attempt-store.ts'
import { queueBuild } from './build-service.ts'
import { buildSlots } from './build-slots.ts'
import { BuildWorker } from './build-worker.ts'

const { db, url } = await createTestDatabase()
const harness = new EnvironmentHarness(db)

/** Builds wait while it cannot be read. */
const storageAway = new Proxy(harness.context.storage, {
  get: () => () => Promise.reject(new Error('the storage is away')),
})
const tools = makeBuildTools(db, { storage: storageAway, executor: new ScriptedExecutor() })

test('a build outlives more orderly restarts than deaths of its worker', async () => {
  const { companyManager } = await makeTenant(db)
  const environmentId = (await harness.environment(companyManager)).id
  const versionId = (await harness.version(companyManager, environmentId)).id
  const { id } = await queueBuild(harness.context, companyManager, { environmentId, versionId }, {})
  const row = () => db.selectFrom('build_attempts').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  for (let starts = 1; starts <= claimsMax + 2; starts += 1) {
    const worker = new BuildWorker({
      db,
      databaseUrl: url,
      tools,
      share: buildSlots({ slots: 1 }),
      name: 'machine',
    })
    await worker.start()
    await vi.waitFor(async () => expect((await row()).fence).toBe(starts), { timeout: 10_000 })
    await worker.stop()
  }
  expect(await row()).toMatchObject({ terminal_at: null, error_detail: '', unreturned_claims: 0 })
})
