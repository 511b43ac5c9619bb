import type { TableRow } from '@sandbox-jobs/contract/resources/tables/table-row.ts'
import { agentRoutes } from '@sandbox-jobs/contract/routes/agent-routes.ts'
import { environmentRoutes } from '@sandbox-jobs/contract/routes/environment-routes.ts'
import { findingRoutes } from '@sandbox-jobs/contract/routes/finding-routes.ts'
import { platformRoutes } from '@sandbox-jobs/contract/routes/platform-routes.ts'
import { tableRowRoutes } from '@sandbox-jobs/contract/routes/table-row-routes.ts'
import { userRoutes } from '@sandbox-jobs/contract/routes/user-routes.ts'
import { sql } from 'kysely'
import { beforeEach, expect, it } from 'vitest'
import { type Answer, codeOf } from '../../../../testing/apps/answer.ts'
import { fixedPeppers } from '../../../../testing/apps/fixed-keys.ts'
import { TableSteps } from '../../../../testing/apps/steps/table-steps.ts'
import { TestApi } from '../../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../../testing/database/test-database.ts'
import { makeEnvironmentVersion } from '../../../../testing/factories/environment-version.ts'
import { makeUser } from '../../../../testing/factories/platform.ts'
import { makeFinding, recordFindings } from '../../../../testing/factories/scanned-build.ts'
import { makeTenant, type Tenant } from '../../../../testing/factories/tenant.ts'
import type { Principal } from '../../../access/principal.ts'
import { applyCompanyFile } from '../../../companies/apply/apply-company-file.ts'
import { setOperatorPolicy } from '../../../companies/settings/operator-policy.ts'
import { readStorageUsage, recountKeptBytes } from '../../../companies/storage/kept-bytes-store.ts'
import { acrossCompanies } from '../../../db/across-companies.ts'
import { chainEntries } from '../../../operations/audit/audit-chain-store.ts'

/* Records that a company adds and that are never removed count to its storage quota. */

const { db } = await createTestDatabase()
const api = new TestApi(db)
const tables = new TableSteps(api)
let tenant: Tenant
let administrator: Principal

beforeEach(async () => {
  tenant = await makeTenant(db)
  administrator = await makeUser(db, tenant.companyId, { role: 4 })
})

const kept = async () => (await readStorageUsage(db, tenant.companyId)).keptBytes
const setLimit = (kept_bytes_limit: number) =>
  setOperatorPolicy({ db, deployment: 'onprem' }, tenant.companyId, { kept_bytes_limit })
const refusalOf = (answer: Answer) => [answer.status, codeOf(answer)]

/** Requests that add one record each, with another name at each call. */
async function additions(): Promise<Record<string, () => Promise<Answer>>> {
  const { companyManager: manager, companyId, departmentId, roomId } = tenant
  const { id } = await api.environments.create(manager)
  const version = await api.environments.version(manager, id)
  const found = ['a', 'b'].map((subject) => makeFinding(subject))
  await recordFindings(db, { companyId, environmentId: id, versionId: version.id }, found)
  const findings = await api.must(findingRoutes.listFindings, manager, { params: { id } })
  const fids = findings.items.map((finding) => finding.id)
  const uids = [tenant.stranger.principalId, manager.principalId]
  let count = 0
  const named = (name: string) => `${name}-${companyId}-${count++}`
  const password = 'correct horse battery'
  return {
    department: () =>
      api.call(platformRoutes.createDepartment, administrator, { body: { name: named('x') } }),
    room: () =>
      api.call(platformRoutes.createChatroom, administrator, {
        body: { name: named('x'), department_id: departmentId },
      }),
    member: () =>
      api.call(platformRoutes.putMember, administrator, {
        params: { cid: roomId, uid: uids.pop() ?? '' },
        body: {},
      }),
    user: () => api.call(userRoutes.createUser, administrator, { body: { login: named('x'), password } }),
    manager: () =>
      api.call(userRoutes.updateUser, administrator, {
        params: { id: tenant.member.principalId },
        body: { role: 2, managed_department_ids: [departmentId] },
      }),
    client: () =>
      api.call(agentRoutes.createSocialMediaClient, administrator, {
        params: { cid: roomId },
        body: { channel: 'line', client_id: named('x') },
      }),
    key: () =>
      api.call(userRoutes.createApiKey, administrator, { body: { name: named('x'), scope: 'full' } }),
    environment: () => api.call(environmentRoutes.createEnvironment, manager, { body: { name: named('x') } }),
    version: () =>
      api.call(environmentRoutes.createEnvironmentVersion, manager, {
        params: { id },
        body: { source_digest: `sha256:${'a'.repeat(64)}`, resource_profile: 'standard' },
      }),
    exception: () =>
      api.call(findingRoutes.createException, manager, {
        params: { id, fid: fids.pop() ?? '' },
        body: { reason: 'only in tests' },
      }),
  }
}

it('counts each record that is added, and refuses it at the limit without a trace', async () => {
  const add = await additions()
  await makeEnvironmentVersion(db, { companyId: null })
  for (const [name, send] of Object.entries(add)) {
    if (name === 'manager') continue
    const before = await kept()
    expect([name, (await send()).status]).toEqual([name, 200])
    expect([name, (await kept()) - before >= 384]).toEqual([name, true])
  }
  const full = await kept()
  await setLimit(full)
  for (const [name, send] of Object.entries(add))
    expect([name, refusalOf(await send())]).toEqual([name, [409, 'storage_quota_exceeded']])
  expect(await kept()).toBe(full)
  expect(await recountKeptBytes(db)).toEqual([])
})

it('gives back the bytes of what is removed, also at the limit, where everything else can still end', async () => {
  const { companyManager, departmentId, roomId, member } = tenant
  const before = await kept()
  const membership = { params: { cid: roomId, uid: companyManager.principalId } }
  await api.must(platformRoutes.putMember, administrator, { ...membership, body: {} })
  const manages = (managed_department_ids: string[]) =>
    api.must(userRoutes.updateUser, administrator, {
      params: { id: member.principalId },
      body: { role: 2, managed_department_ids },
    })
  await manages([departmentId])
  expect((await kept()) - before).toBe(2 * 384)
  await setLimit(1)
  await api.must(platformRoutes.putMember, administrator, { ...membership, body: { room_manager: true } })
  await api.must(platformRoutes.deleteMember, administrator, membership)
  await manages([])
  expect(await kept()).toBe(before)
  await api.must(platformRoutes.deleteChatroom, administrator, { params: { cid: roomId } })
  const disabled = { params: { id: member.principalId }, body: { disabled: true } }
  await api.must(userRoutes.updateUser, administrator, disabled)
  expect(await recountKeptBytes(db)).toEqual([])
})

it('counts what the operator declares, and refuses none of it', async () => {
  await setLimit(1)
  const before = await kept()
  const file = `
companies:
  - name: ${tenant.companyId}
    departments:
      - name: declared
        rooms: [{ name: room }]`
  const services = { db, clock: { now: () => new Date() }, peppers: fixedPeppers(Buffer.alloc(32, 1)) }
  await applyCompanyFile(services, file, { dryRun: false })
  expect((await kept()) - before).toBe(512 + 3 * 'declared'.length + 768 + 3 * 'room'.length)
})

it('counts what each write leaves, so what is added and removed again without end is refused too', async () => {
  const { departmentManager, departmentId } = tenant
  const { id } = await tables.create(departmentManager, departmentId)
  await setLimit((await kept()) + 32 * 1024)
  const addAndRemove = async () => {
    const added = await tables.call<TableRow>(tableRowRoutes.createRow, departmentManager, {
      params: { id },
      body: { values: { order_id: 'x' } },
    })
    if (added.status !== 200) return codeOf(added)
    const params = { id, rid: added.body.id }
    await tables.call(tableRowRoutes.deleteRow, departmentManager, { params })
    await chainEntries(db, 1000)
    return 'again'
  }
  let rounds = 0
  while ((await addAndRemove()) === 'again') rounds += 1
  expect(rounds).toBeGreaterThan(4)
  expect(rounds).toBeLessThan(32)
  expect(await addAndRemove()).toBe('storage_quota_exceeded')
  const { rows } = await sql<{ kind: string }>`${acrossCompanies('a test')}
    select distinct kind from kept_sources where company_id = ${tenant.companyId} and bytes > 0`.execute(db)
  expect(rows.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['requests', 'audit_log']))
  expect(await recountKeptBytes(db)).toEqual([])
})
