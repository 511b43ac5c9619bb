import { usageRoutes } from '@sandbox-jobs/contract/routes/usage-routes.ts'
import { expect, it } from 'vitest'
import { TestApi } from '../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { applyTestPrices, giveBudget } from '../../../testing/factories/prices.ts'
import { makeTenant } from '../../../testing/factories/tenant.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
const tenant = await makeTenant(db)
const month = new Date().toISOString().slice(0, 'YYYY-MM'.length)

it('a company manager reads the budget of the month and its use, and a member does not', async () => {
  const unlimited = {
    month,
    currency: null,
    limit: null,
    has_budgets: false,
    held: '0.000000',
    spent: '0.000000',
  }
  expect(await api.must(usageRoutes.readBudgetUse, tenant.companyManager)).toEqual(unlimited)
  await applyTestPrices(db)
  await giveBudget(db, tenant.companyId, 5_000_000)
  expect(await api.must(usageRoutes.readBudgetUse, tenant.companyManager)).toEqual({
    ...unlimited,
    ...{ currency: 'USD', limit: '5.000000', has_budgets: true },
  })
  expect((await api.call(usageRoutes.readBudgetUse, tenant.member)).status).toBe(403)
})
