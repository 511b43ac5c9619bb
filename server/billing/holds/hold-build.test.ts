import { environmentRoutes } from '@sandbox-jobs/contract/routes/environment-routes.ts'
import { sql } from 'kysely'
import { beforeEach, expect, it } from 'vitest'
import { codeOf } from '../../../testing/apps/answer.ts'
import { TestApi } from '../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { applyTestPrices, giveBudget, priceFile, removePrices } from '../../../testing/factories/prices.ts'
import { makeTenant, type Tenant } from '../../../testing/factories/tenant.ts'
import { endLocked } from '../../builds/attempts/claims/attempt-end-store.ts'
import { readBudget } from '../budgets/company-budget.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
let tenant: Tenant

beforeEach(async () => {
  await removePrices(db)
  tenant = await makeTenant(db)
})

async function queueBuild() {
  const { id } = await api.environments.create(tenant.companyManager)
  const { id: vid } = await api.environments.version(tenant.companyManager, id)
  return api.call(environmentRoutes.createBuild, tenant.companyManager, { params: { id, vid } })
}

const charges = () =>
  db
    .selectFrom('charges')
    .selectAll()
    .where('company_id', '=', tenant.companyId)
    .orderBy('subject_id')
    .execute()

/** Ends a build that started some seconds ago. */
async function endBuild(id: string, seconds: number, state: 'cancelled' | 'platform_failed'): Promise<void> {
  await sql`update build_attempts set started_at = now() - make_interval(secs => ${seconds})
    where id = ${id} and company_id = ${tenant.companyId}`.execute(db)
  const attempt = await db
    .selectFrom('build_attempts')
    .selectAll()
    .where('id', '=', id)
    .where('company_id', '=', tenant.companyId)
    .executeTakeFirstOrThrow()
  const errorCode = state === 'cancelled' ? 'tenant_cancel' : 'platform_failed'
  await db.transaction().execute((trx) => endLocked(trx, attempt, { state, errorCode }))
}

/** 15 minutes and a minute to finish at 5 each. */
const heldMicro = 960 * 5

it('a build holds the time that its profile allows, and costs the time that it took', async () => {
  await applyTestPrices(db)
  const { id } = (await queueBuild()).body
  expect(await charges()).toMatchObject([
    { subject_id: id, kind: 'build', held_micro: heldMicro, cost_micro: null },
  ])
  await endBuild(id, 199.5, 'cancelled')
  expect(await charges()).toMatchObject([{ billed_seconds: 200, cost_micro: 1000 }])
  expect(await readBudget(db, tenant.companyId)).toMatchObject({ held: '0.000000', spent: '0.001000' })
})

it('a build that the platform failed costs nothing', async () => {
  await applyTestPrices(db)
  const { id } = (await queueBuild()).body
  await endBuild(id, 100, 'platform_failed')
  expect(await charges()).toMatchObject([{ billed_seconds: 0, cost_micro: 0, settled_at: expect.any(Date) }])
})

it('builds beyond the budget are refused without a row, also when they come at once', async () => {
  await applyTestPrices(db)
  await giveBudget(db, tenant.companyId, 2 * heldMicro)
  const answers = await Promise.all([queueBuild(), queueBuild(), queueBuild()])
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 403])
  const [refused] = answers.filter(({ status }) => status === 403)
  expect(refused && codeOf(refused)).toBe('budget_reservation_exceeded')
  expect(await charges()).toHaveLength(2)
  const attempts = db.selectFrom('build_attempts').select('id').where('company_id', '=', tenant.companyId)
  expect(await attempts.execute()).toHaveLength(2)
})

it('builds are free where a region has no prices for them', async () => {
  const { builds: _, ...region } = priceFile.regions.onprem
  await applyTestPrices(db, { ...priceFile, regions: { onprem: region } })
  await giveBudget(db, tenant.companyId, 0)
  expect((await queueBuild()).status).toBe(200)
  expect(await charges()).toEqual([])
})
