import { expect, test } from 'vitest'
import { TestApi } from '../../testing/apps/test-api.ts'
import { makeBuildTools } from '../../testing/build-tools.ts'
import { createTestDatabase } from '../../testing/database/test-database.ts'
import { eventually } from '../../testing/eventually.ts'
import { makeTenant } from '../../testing/factories/tenant.ts'
import { ScriptedExecutor } from '../../testing/scripted-executor.ts'
import { buildSlots } from './attempts/build-limits.ts'
import { queueBuild } from './attempts/build-service.ts'
import { claimsMax } from './attempts/claims/claim-attempt-store.ts'
import { startBuildWorker } from './build-worker.ts'

const { db, url } = await createTestDatabase()
const api = new TestApi(db)

/** While it cannot be read, builds wait. */
const storageAway = new Proxy(api.context.storage, {
  get: () => () => Promise.reject(new Error('the storage is away')),
})
const tools = makeBuildTools(db, { storage: storageAway, executor: new ScriptedExecutor() })

test('a build survives more orderly restarts than deaths of its worker', async () => {
  const { companyManager } = await makeTenant(db)
  const environmentId = (await api.environments.create(companyManager)).id
  const versionId = (await api.environments.version(companyManager, environmentId)).id
  const { id } = await queueBuild(api.context, companyManager, { environmentId, versionId }, {})
  const row = () => db.selectFrom('build_attempts').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  for (let starts = 1; starts <= claimsMax + 2; starts += 1) {
    const worker = await startBuildWorker({
      db,
      databaseUrl: url,
      tools,
      share: buildSlots({ slots: 1 }),
      name: 'machine',
    })
    await eventually(async () => expect((await row()).fence).toBe(starts))
    await worker.stop()
  }
  expect(await row()).toMatchObject({ terminal_at: null, error_detail: '', unreturned_claims: 0 })
})
