import { extensionRoutes } from '@sandbox-jobs/contract/routes/extension-routes.ts'
import { beforeEach, expect, test } from 'vitest'
import { TestApi } from '../../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../../testing/database/test-database.ts'
import { makeEnvironmentVersion } from '../../../../testing/factories/environment-version.ts'
import { makeTenant, type Tenant } from '../../../../testing/factories/tenant.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
let tenant: Tenant
beforeEach(async () => {
  tenant = await makeTenant(db)
})

const list = async () => (await api.must(extensionRoutes.listKeptVersions, tenant.companyManager)).items

test('a version keeps its image while its environment or a task needs it, and for a time after that', async () => {
  const { companyId, companyManager } = tenant
  const { id } = await makeEnvironmentVersion(db, { companyId })
  await makeEnvironmentVersion(db, { companyId: (await makeTenant(db)).companyId })
  expect(await list()).toEqual([
    expect.objectContaining({
      version_id: id,
      state: 'ready',
      kept_by: ['environment'],
      removed_after: null,
    }),
  ])

  const task = await api.tasks.create(companyManager, { scope: 'company', id: companyId })
  await api.tasks.publish(companyManager, { taskId: task.id, environmentVersionId: id })
  const used = { kept_by: ['environment', 'tasks'], tasks: ['Report'] }
  expect(await list()).toEqual([expect.objectContaining(used)])

  const since = new Date('2026-11-01T00:00:00Z')
  const change = { state: 'archived', unreferenced_since: since }
  await db.updateTable('environment_versions').set(change).where('company_id', '=', companyId).execute()
  expect(await list()).toEqual([expect.objectContaining({ kept_by: ['tasks'], removed_after: null })])

  await db.updateTable('tasks').set({ state: 'archived' }).where('company_id', '=', companyId).execute()
  expect(await list()).toEqual([
    expect.objectContaining({ kept_by: ['retention'], tasks: [], removed_after: '2026-12-01T00:00:00.000Z' }),
  ])
})

test('members do not see it', async () => {
  expect((await api.call(extensionRoutes.listKeptVersions, tenant.member)).status).toBe(403)
})
