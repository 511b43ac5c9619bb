import { environmentRoutes } from '@sandbox-jobs/contract/routes/environment-routes.ts'
import { sql } from 'kysely'
import { beforeEach, expect, it } from 'vitest'
import { codeOf } from '../../../testing/apps/answer.ts'
import { TestApi } from '../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeTenant, type Tenant } from '../../../testing/factories/tenant.ts'
import { liftFence, raiseFence } from './build-fence.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
let tenant: Tenant
let params: { id: string; vid: string }

beforeEach(async () => {
  tenant = await makeTenant(db)
  const { id } = await api.environments.create(tenant.companyManager)
  params = { id, vid: (await api.environments.version(tenant.companyManager, id)).id }
})

const queue = (principal = tenant.companyManager) =>
  api.call(environmentRoutes.createBuild, principal, { params })
const attempts = () =>
  db.selectFrom('build_attempts').select('id').where('environment_version_id', '=', params.vid).execute()

it('stops builds until it is lifted', async () => {
  await raiseFence(db, 5)
  const held = await queue()
  expect([held.status, codeOf(held)]).toEqual([503, 'build_admission_fenced'])
  const seconds = Number(held.body.detail?.retry_after_seconds)
  expect(seconds).toBeGreaterThan(290)
  expect(seconds).toBeLessThanOrEqual(300)
  expect(await attempts()).toHaveLength(0)
  expect(await liftFence(db)).toBe(true)
  expect((await queue()).status).toBe(200)
  expect(await liftFence(db)).toBe(false)
})

it('is hidden from users who may not build', async () => {
  await raiseFence(db, 5)
  const other = await makeTenant(db)
  expect((await queue(other.companyManager)).status).toBe(404)
})

it('ends by itself, and the last setting counts', async () => {
  await raiseFence(db, 60)
  await raiseFence(db, 1)
  await db.updateTable('build_fence').set({ ends_at: sql`now() - interval '1 second'` }).execute()
  expect((await queue()).status).toBe(200)
})

it('stops no builds when it cannot be read', async () => {
  await raiseFence(db, 5)
  await sql`alter table build_fence rename to build_fence_away`.execute(db)
  try {
    expect((await queue()).status).toBe(200)
  } finally {
    await sql`alter table build_fence_away rename to build_fence`.execute(db)
  }
})
