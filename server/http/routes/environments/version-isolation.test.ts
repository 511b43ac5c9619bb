import { extensionRoutes } from '@sandbox-jobs/contract/routes/extension-routes.ts'
import { expect, test } from 'vitest'
import { TestApi } from '../../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../../testing/database/test-database.ts'
import { makeEnvironmentVersion } from '../../../../testing/factories/environment-version.ts'
import { makeTenant } from '../../../../testing/factories/tenant.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)

async function versionOfTenant(on = api) {
  const tenant = await makeTenant(db)
  const version = await makeEnvironmentVersion(db, { companyId: tenant.companyId })
  const params = { id: version.environmentId, vid: version.id }
  return {
    read: () => on.must(extensionRoutes.readVersionIsolation, tenant.companyManager, { params }),
    change: (isolation: string) =>
      on.call(extensionRoutes.changeVersionIsolation, tenant.companyManager, {
        params,
        body: { isolation },
      }),
  }
}

test('an owner selects gVisor and deselects it', async () => {
  const { read, change } = await versionOfTenant()
  expect(await read()).toEqual({ isolation: 'standard', effective: 'standard' })
  expect((await change('gvisor')).body).toEqual({ isolation: 'gvisor', effective: 'gvisor' })
  expect(await read()).toEqual({ isolation: 'gvisor', effective: 'gvisor' })
  expect((await change('standard')).body).toEqual({ isolation: 'standard', effective: 'standard' })
})

test('an owner cannot select less where every job runs on gVisor', async () => {
  const { read, change } = await versionOfTenant(new TestApi(db, { runtimes: ['runsc'] }))
  expect(await read()).toEqual({ isolation: 'standard', effective: 'gvisor' })
  expect((await change('standard')).body).toEqual({ isolation: 'standard', effective: 'gvisor' })
})

test('an isolation that does not exist is refused', async () => {
  const { change } = await versionOfTenant()
  expect((await change('none')).status).toBe(422)
})
