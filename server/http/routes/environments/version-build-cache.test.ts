import { extensionRoutes } from '@sandbox-jobs/contract/routes/extension-routes.ts'
import { expect, test } from 'vitest'
import { TestApi } from '../../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../../testing/database/test-database.ts'
import { makeEnvironmentVersion } from '../../../../testing/factories/environment-version.ts'
import { makeTenant } from '../../../../testing/factories/tenant.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)

test('an owner disables or enables the build cache', async () => {
  const { companyId, companyManager } = await makeTenant(db)
  const version = await makeEnvironmentVersion(db, { companyId })
  const params = { id: version.environmentId, vid: version.id }
  const read = () => api.must(extensionRoutes.readVersionBuildCache, companyManager, { params })
  const change = (cache: string) =>
    api.call(extensionRoutes.changeVersionBuildCache, companyManager, { params, body: { cache } })
  expect(await read()).toEqual({ cache: 'images' })
  expect((await change('none')).body).toEqual({ cache: 'none' })
  expect(await read()).toEqual({ cache: 'none' })
  expect((await change('everything')).status).toBe(422)
  expect(await read()).toEqual({ cache: 'none' })
})
