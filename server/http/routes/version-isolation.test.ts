import type { VersionIsolation } from '@sandbox-jobs/contract/resources/version-isolation.ts'
import { extensionRoutes } from '@sandbox-jobs/contract/routes/extension-routes.ts'
import { expect, test } from 'vitest'
import { EnvironmentHarness } from '../../testing/environment-harness.ts'
import { makeEnvironmentVersion } from '../../testing/factories/environment-version.ts'
import { makeTenant } from '../../testing/factories/tenant.ts'
import { createTestDatabase } from '../../testing/test-database.ts'

const { db } = await createTestDatabase()
const harness = new EnvironmentHarness(db)

async function versionOfTenant() {
  const tenant = await makeTenant(db)
  const version = await makeEnvironmentVersion(db, { companyId: tenant.companyId })
  const params = { id: version.environmentId, vid: version.id }
  return {
    read: () =>
      harness.must<VersionIsolation>(extensionRoutes.readVersionIsolation, tenant.companyManager, { params }),
    change: (isolation: string) =>
      harness.call<VersionIsolation>(extensionRoutes.changeVersionIsolation, tenant.companyManager, {
        params,
        body: { isolation },
      }),
  }
}

test('an owner asks for gVisor, and takes it back', async () => {
  const { read, change } = await versionOfTenant()
  expect(await read()).toEqual({ isolation: 'standard', effective: 'standard' })
  expect((await change('gvisor')).body).toEqual({ isolation: 'gvisor', effective: 'gvisor' })
  expect(await read()).toEqual({ isolation: 'gvisor', effective: 'gvisor' })
  expect((await change('standard')).body).toEqual({ isolation: 'standard', effective: 'standard' })
})

test('where every job is on gVisor, an owner gets no less', async () => {
  const { read, change } = await versionOfTenant()
  const offered = harness.context.isolations
  harness.context.isolations = ['gvisor']
  try {
    expect(await read()).toEqual({ isolation: 'standard', effective: 'gvisor' })
    expect((await change('standard')).body).toEqual({ isolation: 'standard', effective: 'gvisor' })
  } finally {
    harness.context.isolations = offered
  }
})

test('an isolation that does not exist is refused', async () => {
  const { change } = await versionOfTenant()
  expect((await change('none')).status).toBe(422)
})
