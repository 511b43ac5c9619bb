import { profiles } from '@sandbox-jobs/contract/resources/environments/profile.ts'
import { regionsOf } from '@sandbox-jobs/contract/resources/environments/region.ts'
import { environmentRoutes } from '@sandbox-jobs/contract/routes/environment-routes.ts'
import { runRoutes } from '@sandbox-jobs/contract/routes/run-routes.ts'
import { settingsRoutes } from '@sandbox-jobs/contract/routes/settings-routes.ts'
import { taskRoutes } from '@sandbox-jobs/contract/routes/task-routes.ts'
import { beforeEach, describe, expect, it } from 'vitest'
import { TestApi } from '../../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../../testing/database/test-database.ts'
import { makeEnvironmentVersion } from '../../../../testing/factories/environment-version.ts'
import { withSandboxKey } from '../../../../testing/factories/platform.ts'
import { makeRunnableTask } from '../../../../testing/factories/runs.ts'
import { makeTenant, makeUser, type Tenant } from '../../../../testing/factories/tenant.ts'
import type { Principal } from '../../../access/principal.ts'
import { companyPolicy, effectiveRegions } from '../../../companies/settings/company-policy.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
const hosted = new TestApi(db, { deployment: 'hosted' })
let tenant: Tenant

beforeEach(async () => {
  tenant = await makeTenant(db)
})

const read = (principal: Principal = tenant.companyManager, on = api) =>
  on.call(settingsRoutes.readSettings, principal)
const write = (body: unknown, principal: Principal = tenant.companyManager, on = api) =>
  on.call(settingsRoutes.updateSettings, principal, { body })
const stored = () =>
  db.selectFrom('company_settings').selectAll().where('company_id', '=', tenant.companyId).execute()

const update = {
  run_content_retention_days: 7,
  unreferenced_image_retention_days: 3,
  allowed_regions: ['onprem'],
  policy_version: 1,
}

describe('reading settings', () => {
  it('shows no egress where the operator has switched it off for all', async () => {
    const without = new TestApi(db, { runtimeEgress: false })
    expect((await read(tenant.companyManager, without)).body.runtime_egress_enabled).toBe(false)
  })

  it('shows the defaults and stores them once, also when many read first', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => read()))
    for (const { status, body } of answers) {
      expect(status).toBe(200)
      expect(body).toEqual({
        company_id: tenant.companyId,
        policy_version: 1,
        run_content_retention_days: 30,
        unreferenced_image_retention_days: 30,
        allowed_regions: ['onprem'],
        selectable_regions: ['onprem'],
        pricing: expect.any(Object),
        runtime_egress_enabled: true,
        timeout_ceiling_seconds: 86_400,
        active_environment_limit: 30,
        capacity_retained_version_limit: 100,
        placement_scope: 'runtime_execution_only',
        does_not_govern: ['build', 'validator', 'registry', 'object_storage', 'log', 'control_plane'],
        residency_guaranteed: false,
        regional_job_capacity_grace_days_fixed: 30,
      })
    }
    expect(await stored()).toHaveLength(1)
  })

  it('prices every selectable region and profile at zero while nothing is charged', async () => {
    const { pricing, selectable_regions } = (await read(tenant.companyManager, hosted)).body
    const hostedRegions = regionsOf('hosted').map((region) => region.code)
    expect(selectable_regions).toEqual(hostedRegions)
    expect(Object.keys(pricing?.regions ?? {})).toEqual(hostedRegions)
    const selectable = profiles.filter((profile) => profile.tenant_selectable)
    expect(pricing?.regions['asia-east1']).toEqual({
      profiles: Object.fromEntries(selectable.map(({ id }) => [id, { per_second: '0' }])),
      ingress_per_gib: '0',
      egress_per_gib: '0',
    })
  })

  it('is for company managers, and nothing is stored for others', async () => {
    const administrator = await makeUser(db, { companyId: tenant.companyId, role: 4 })
    for (const principal of [tenant.member, tenant.roomManager, tenant.departmentManager, tenant.stranger]) {
      for (const { status, body } of [await read(principal), await write(update, principal)]) {
        expect(status).toBe(403)
        expect(body).toEqual({ detail: 'Insufficient permissions.' })
      }
    }
    expect(await stored()).toEqual([])
    expect((await read(administrator)).status).toBe(200)
  })

  it('is refused to a sandbox-scope key of a manager', async () => {
    const key = withSandboxKey(tenant.companyManager, [tenant.roomId])
    for (const { status, body } of [await read(key), await write(update, key)]) {
      expect(status).toBe(403)
      expect(typeof body.detail).toBe('string')
    }
    expect(await stored()).toEqual([])
  })
})

describe('writing settings', () => {
  it('replaces the writable fields and increments the version', async () => {
    const { status, body } = await write(update)
    expect(status).toBe(200)
    expect(body).toMatchObject({ ...update, policy_version: 2 })
    expect((await read()).body).toEqual(body)
    expect((await write({ ...update, policy_version: 2 })).body.policy_version).toBe(3)
  })

  it('is refused when the version is outdated, and changes nothing', async () => {
    for (const policy_version of [2, 2_147_483_648, Number.MAX_SAFE_INTEGER, 1e300]) {
      expect(await write({ ...update, policy_version })).toMatchObject({
        status: 409,
        body: { detail: { code: 'policy_version_conflict' } },
      })
    }
    expect(await stored()).toEqual([])
    await write(update)
    expect((await write({ ...update, run_content_retention_days: 9 })).status).toBe(409)
    expect((await read()).body).toMatchObject({ run_content_retention_days: 7, policy_version: 2 })
  })

  it('lets exactly one of many concurrent updates succeed', async () => {
    await read()
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, n) => write({ ...update, run_content_retention_days: n + 1 })),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(5)
    expect((await read()).body.policy_version).toBe(2)
  })

  it.each([
    ['content kept for a day', { run_content_retention_days: 1 }],
    ['content kept for a year', { run_content_retention_days: 365 }],
    ['images kept for a day', { unreferenced_image_retention_days: 1 }],
    ['images kept for ninety days', { unreferenced_image_retention_days: 90 }],
  ])('takes %s', async (_name, fields) => {
    expect((await write({ ...update, ...fields })).body).toMatchObject(fields)
  })

  it.each([
    ['content kept for no day', { run_content_retention_days: 0 }],
    ['content kept for over a year', { run_content_retention_days: 366 }],
    ['content kept for half a day', { run_content_retention_days: 0.5 }],
    ['days as text', { run_content_retention_days: '7' }],
    ['images kept for no day', { unreferenced_image_retention_days: 0 }],
    ['images kept for over ninety days', { unreferenced_image_retention_days: 91 }],
    ['no region', { allowed_regions: [] }],
    ['a region that does not exist', { allowed_regions: ['mars'] }],
    ['a region of another deployment', { allowed_regions: ['onprem', 'asia-east1'] }],
    ['no version', { policy_version: undefined }],
    ['version 0', { policy_version: 0 }],
    ['a read-only field', { timeout_ceiling_seconds: 1 }],
    ['egress', { runtime_egress_enabled: false }],
  ])('refuses %s with 422 and stores nothing', async (_name, fields) => {
    const { status, body } = await write({ ...update, ...fields })
    expect(status).toBe(422)
    expect(body.detail).toEqual([
      { type: expect.any(String), loc: expect.arrayContaining(['body']), msg: expect.any(String) },
    ])
    expect(await stored()).toEqual([])
  })

  it('refuses an empty body with 422', async () => {
    expect((await write({})).status).toBe(422)
    expect((await api.call(settingsRoutes.updateSettings, tenant.companyManager)).status).toBe(422)
  })

  it('names every region that cannot be selected', async () => {
    const { body } = await write(
      { ...update, allowed_regions: ['asia-east1', 'onprem'] },
      tenant.companyManager,
      hosted,
    )
    expect(body.detail).toEqual([
      {
        type: 'enum',
        loc: ['body', 'allowed_regions', 1],
        msg: 'allowed_regions[1] is not a selectable region',
      },
    ])
  })

  it('changes only the caller’s company', async () => {
    const other = await makeTenant(db)
    await write(update)
    expect((await read(other.companyManager)).body).toMatchObject({
      company_id: other.companyId,
      run_content_retention_days: 30,
    })
  })

  it('is blocked by the kill switch; reading is not', async () => {
    const stopped = new TestApi(db, { enabled: false })
    const { status, body } = await write(update, tenant.companyManager, stopped)
    expect([status, body.detail]).toEqual([503, expect.objectContaining({ code: 'sandbox_disabled' })])
    expect((await read(tenant.companyManager, stopped)).status).toBe(200)
  })
})

describe('the policy of a company', () => {
  const limit = async (set: Record<string, number>) => {
    await read()
    await db.updateTable('company_settings').set(set).where('company_id', '=', tenant.companyId).execute()
  }

  it('places runs in the regions that it allows and the deployment has', async () => {
    expect(effectiveRegions(await companyPolicy(db, tenant.companyId), 'onprem')).toEqual(['onprem'])
    expect(await stored()).toEqual([])
    await write({ ...update, allowed_regions: ['asia-east2', 'asia-east1'] }, tenant.companyManager, hosted)
    const policy = await companyPolicy(db, tenant.companyId)
    expect(effectiveRegions(policy, 'hosted')).toEqual(['asia-east1', 'asia-east2'])
    expect(effectiveRegions(policy, 'onprem')).toEqual([])
  })

  it('queues no run when it allows no region that the deployment has', async () => {
    await write({ ...update, allowed_regions: ['asia-east1'] }, tenant.companyManager, hosted)
    const { versionId } = await makeRunnableTask(db, tenant.companyId)
    const submit = () =>
      api.call(runRoutes.submitRun, tenant.member, {
        params: { cid: tenant.roomId },
        headers: { 'idempotency-key': 'one intent' },
        body: { task_version_id: versionId, input: {} },
      })
    const refused = await submit()
    expect([refused.status, refused.body]).toEqual([
      422,
      { detail: expect.objectContaining({ code: 'no_active_region' }) },
    ])
    const queued = db.selectFrom('runs').select('id').where('company_id', '=', tenant.companyId)
    expect(await queued.execute()).toEqual([])
    await write({ ...update, policy_version: 2 })
    expect((await submit()).status).toBe(200)
  })

  it('sets the timeout ceiling that publishing enforces', async () => {
    await limit({ timeout_ceiling_seconds: 600 })
    const { id: environmentVersionId } = await makeEnvironmentVersion(db, { companyId: tenant.companyId })
    const { id } = await api.tasks.create(tenant.companyManager, { scope: 'company', id: tenant.companyId })
    const publish = async (timeout_seconds: number) => {
      const fields = { timeout_seconds }
      const draft = { taskId: id, environmentVersionId, fields }
      const { id: vid } = await api.tasks.draft(tenant.companyManager, draft)
      return api.call(taskRoutes.publishTaskVersion, tenant.companyManager, { params: { id, vid } })
    }
    expect((await publish(600)).status).toBe(200)
    expect(await publish(601)).toMatchObject({
      status: 422,
      body: { detail: { code: 'timeout_exceeds_ceiling', limit: 600 } },
    })
  })

  it('limits the number of environments and versions', async () => {
    await limit({ active_environment_limit: 1, capacity_retained_version_limit: 1 })
    const { id } = await api.environments.create(tenant.companyManager)
    const second = await api.call(environmentRoutes.createEnvironment, tenant.companyManager, {
      body: { name: 'second' },
    })
    expect(second.body).toMatchObject({ detail: { code: 'active_environment_limit', limit: 1 } })
    await api.environments.version(tenant.companyManager, id)
    const version = await api.call(environmentRoutes.createEnvironmentVersion, tenant.companyManager, {
      params: { id },
      body: { source_digest: `sha256:${'b'.repeat(64)}`, resource_profile: 'standard' },
    })
    expect(version.body).toMatchObject({ detail: { code: 'version_allocation_exhausted', limit: 1 } })
  })
})
