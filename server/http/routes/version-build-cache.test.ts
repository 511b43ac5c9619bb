import type { VersionBuildCache } from '@sandbox-jobs/contract/resources/version-build-cache.ts'
import { extensionRoutes } from '@sandbox-jobs/contract/routes/extension-routes.ts'
import { expect, test } from 'vitest'
import { EnvironmentHarness } from '../../testing/environment-harness.ts'
import { makeEnvironmentVersion } from '../../testing/factories/environment-version.ts'
import { makeTenant } from '../../testing/factories/tenant.ts'
import { createTestDatabase } from '../../testing/test-database.ts'

const { db } = await createTestDatabase()
const harness = new EnvironmentHarness(db)

test('an owner has everything done again, or lets builds take what there is', async () => {
  const { companyId, companyManager } = await makeTenant(db)
  const version = await makeEnvironmentVersion(db, { companyId })
  const params = { id: version.environmentId, vid: version.id }
  const read = () =>
    harness.must<VersionBuildCache>(extensionRoutes.readVersionBuildCache, companyManager, { params })
  const change = (cache: string) =>
    harness.call(extensionRoutes.changeVersionBuildCache, companyManager, { params, body: { cache } })
  expect(await read()).toEqual({ cache: 'images' })
  expect((await change('none')).body).toEqual({ cache: 'none' })
  expect(await read()).toEqual({ cache: 'none' })
  expect((await change('everything')).status).toBe(422)
  expect(await read()).toEqual({ cache: 'none' })
})
