import { environmentOverviewRoutes } from '@sandbox-jobs/contract/routes/environment-overview-routes.ts'
import { expect, it } from 'vitest'
import { TestApi } from '../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeEnvironmentVersion } from '../../../testing/factories/environment-version.ts'
import { makeFinding, recordFindings } from '../../../testing/factories/scanned-build.ts'
import { makeTenant } from '../../../testing/factories/tenant.ts'
import type { Principal } from '../../access/principal.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
const tenant = await makeTenant(db)
const { companyId, companyManager, departmentManager, departmentId, member } = tenant
const list = async (person: Principal) =>
  (await api.must(environmentOverviewRoutes.listEnvironmentOverviews, person)).items

it('an environment is listed with its size, open findings and use, for those who manage it', async () => {
  const version = await makeEnvironmentVersion(db, { companyId })
  const { id: environmentVersionId, environmentId } = version
  await db
    .updateTable('environment_versions')
    .set({ unpacked_bytes: 4096 })
    .where('id', '=', version.id)
    .execute()
  const findings = [
    makeFinding('openssl', { severity: 'critical' }),
    makeFinding('zlib', { severity: 'low' }),
    makeFinding('curl', { severity: 'low' }),
  ]
  await recordFindings(db, { companyId, environmentId, versionId: version.id }, findings)
  const { id: taskId } = await api.tasks.create(departmentManager, { scope: 'department', id: departmentId })
  await api.tasks.publish(departmentManager, { taskId, environmentVersionId })
  await api.tasks.draft(departmentManager, { taskId, environmentVersionId })
  const seen = async (person: Principal) => (await list(person)).find(({ id }) => id === environmentId)
  expect(await seen(companyManager)).toMatchObject({
    version_number: 1,
    unpacked_bytes: 4096,
    findings: { critical: 1, high: 0, medium: 0, low: 2, unknown: 0 },
    tasks: 1,
  })
  expect(await seen(member)).toMatchObject({ version_number: 1, findings: null, tasks: null })
  expect(await seen((await makeTenant(db)).companyManager)).toBeUndefined()
})

it('a curated environment shows its size alone', async () => {
  const { environmentId } = await makeEnvironmentVersion(db, { companyId: null })
  const [found] = (await list(companyManager)).filter(({ id }) => id === environmentId)
  expect(found).toMatchObject({ company_id: null, findings: null, tasks: null })
})
