import { expect, it } from 'vitest'
import { SecretSteps } from '../../testing/apps/steps/secret-steps.ts'
import { TestApi } from '../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../testing/database/test-database.ts'
import { makeTenant } from '../../testing/factories/tenant.ts'
import { sweepSecretOperations } from './sweeps.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
const secrets = new SecretSteps(api)
const { tasks } = api

it('removes the operations of a month ago and nothing else', async () => {
  const { companyManager, companyId } = await makeTenant(db)
  const { id: taskId } = await tasks.create(companyManager, { scope: 'company', id: companyId })
  const at = (slot: string) => ({ scope: 'company', id: companyId, taskId, slot })
  const old = await secrets.set(companyManager, at('OLD'), 'a value')
  const recent = await secrets.set(companyManager, at('RECENT'), 'a value')
  const dayMs = 86_400_000
  const now = new Date()
  await db
    .updateTable('secret_operations')
    .set({ created_at: new Date(now.getTime() - 31 * dayMs) })
    .where('id', '=', old.operation_id)
    .execute()
  expect(await sweepSecretOperations({ db, clock: { now: () => now } })).toEqual({ operations: 1 })
  const left = await db
    .selectFrom('secret_operations')
    .select('id')
    .where('company_id', '=', companyId)
    .execute()
  expect(left).toEqual([{ id: recent.operation_id }])
  const values = await db
    .selectFrom('secret_values')
    .select('binding_id')
    .where('company_id', '=', companyId)
    .execute()
  expect(values).toHaveLength(2)
})
