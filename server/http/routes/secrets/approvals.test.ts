import { hash } from 'node:crypto'
import type {
  SecretApproval,
  SecretApprovalList,
} from '@sandbox-jobs/contract/resources/secrets/secret-approval.ts'
import type { TaskVersion } from '@sandbox-jobs/contract/resources/tasks/task-version.ts'
import type { Route } from '@sandbox-jobs/contract/routes/route.ts'
import { secretRoutes } from '@sandbox-jobs/contract/routes/secret-routes.ts'
import { taskRoutes } from '@sandbox-jobs/contract/routes/task-routes.ts'
import { beforeEach, describe, expect, it } from 'vitest'
import { SecretSteps } from '../../../../testing/apps/steps/secret-steps.ts'
import { TestApi } from '../../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../../testing/database/test-database.ts'
import { makeEnvironmentVersion } from '../../../../testing/factories/environment-version.ts'
import { withSandboxKey } from '../../../../testing/factories/platform.ts'
import { makeTenant, type Tenant } from '../../../../testing/factories/tenant.ts'
import type { Principal } from '../../../access/principal.ts'
import { newId } from '../../../base/ids.ts'
import { setOperatorPolicy } from '../../../companies/settings/operator-policy.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
const secrets = new SecretSteps(api)
const { tasks } = api
let tenant: Tenant
let taskId: string
let environmentVersionId: string
let version: TaskVersion

beforeEach(async () => {
  tenant = await makeTenant(db)
  environmentVersionId = (await makeEnvironmentVersion(db, { companyId: tenant.companyId })).id
  const owner = { scope: 'company', id: tenant.companyId }
  taskId = (await tasks.create(tenant.companyManager, owner)).id
  const fields = { secret_slot_declarations: ['A', 'B'] }
  version = await tasks.publish(tenant.companyManager, { taskId, environmentVersionId, fields })
  await tasks.share(tenant.companyManager, { taskId, kind: 'chatroom', id: tenant.roomId })
})

type Answer = { status: number; body: SecretApproval & { detail?: unknown } }
const refusal = ({ status, body }: Answer) => [status, (body.detail as { code?: string }).code]

const request = () => ({
  consumer_scope: 'chatroom',
  consumer_id: tenant.roomId,
  task_id: taskId,
  task_version_id: version.id,
  task_version_digest: version.canonical_digest,
  slot_names: ['B', 'A'],
  risk_accepted: true,
})
const approve = (
  body: Record<string, unknown> = {},
  as: Principal = tenant.roomManager,
  route: Route = secretRoutes.createSecretApproval,
) => secrets.call<Answer['body']>(route, as, { body: { ...request(), ...body } })
const revoke = (id: string, body?: unknown, as: Principal = tenant.roomManager) =>
  secrets.call<Answer['body']>(secretRoutes.revokeSecretApproval, as, { params: { id }, body })
const list = (as: Principal, query: Record<string, string> = {}) =>
  secrets.call<SecretApprovalList>(secretRoutes.listTaskSecretApprovals, as, {
    params: { id: taskId },
    query,
  })
const count = async () =>
  (await db.selectFrom('secret_approvals').select('id').where('company_id', '=', tenant.companyId).execute())
    .length

describe('an approval', () => {
  it('pins the digest and the set of slots', async () => {
    const { status, body } = await approve()
    expect(status).toBe(200)
    expect(body).toEqual({
      id: expect.stringMatching(/^sap_/),
      company_id: tenant.companyId,
      consumer_scope: 'chatroom',
      consumer_id: tenant.roomId,
      owner_scope: 'company',
      owner_id: tenant.companyId,
      task_id: taskId,
      task_version_id: version.id,
      task_version_digest: version.canonical_digest,
      slot_set_hash: `sha256:${hash('sha256', 'A\nB')}`,
      generation: 1,
      state: 'active',
      active: true,
      created_at: expect.stringMatching(/Z$/),
      revoked_at: null,
    })
  })

  it('is one for the same set in any order and by either path, and another for another set', async () => {
    const { body } = await approve()
    const alias = await approve(
      { slot_names: ['A', 'B'] },
      tenant.departmentManager,
      secretRoutes.createSharedTaskSecretApproval,
    )
    expect(alias.body).toEqual(body)
    const other = await approve({ slot_names: ['A'] })
    expect(other.body.slot_set_hash).not.toBe(body.slot_set_hash)
    expect(await count()).toBe(2)
  })

  it('is one of many that are made at once', async () => {
    const made = await Promise.all(Array.from({ length: 5 }, () => approve()))
    expect(new Set(made.map(({ body }) => body.id)).size).toBe(1)
  })

  it('ends once, and is opened again as the next generation', async () => {
    const { body } = await approve()
    const revoked = await revoke(body.id, { reason: 'no longer needed' })
    expect(revoked.body).toMatchObject({ id: body.id, state: 'revoked', active: false })
    expect(revoked.body.revoked_at).toMatch(/Z$/)
    expect(refusal(await revoke(body.id))).toEqual([409, 'illegal_transition'])
    const again = await approve()
    expect(again.body).toMatchObject({ generation: 2, active: true })
    const route = secretRoutes.revokeSharedTaskSecretApproval
    const alias = await secrets.call<Answer['body']>(route, tenant.roomManager, {
      params: { id: again.body.id },
    })
    expect(alias.body.state).toBe('revoked')
    const reasons = await db
      .selectFrom('secret_approvals')
      .select('revoke_reason')
      .where('company_id', '=', tenant.companyId)
      .orderBy('generation')
      .execute()
    expect(reasons.map(({ revoke_reason }) => revoke_reason)).toEqual(['no longer needed', 'revoked'])
  })

  it('needs a published version, which is looked at before the digest', async () => {
    const draft = await tasks.draft(tenant.companyManager, { taskId, environmentVersionId })
    const ofDraft = { task_version_id: draft.id, task_version_digest: `sha256:${'0'.repeat(64)}` }
    expect(refusal(await approve(ofDraft, tenant.companyManager))).toEqual([
      409,
      'task_version_not_published',
    ])
    // A borrower does not see drafts.
    expect(refusal(await approve(ofDraft))).toEqual([404, 'not_found'])
    const params = { id: taskId, vid: version.id }
    await api.call(taskRoutes.archiveTaskVersion, tenant.companyManager, { params })
    expect(refusal(await approve())).toEqual([409, 'task_version_not_published'])
  })

  it('needs the very digest of the version', async () => {
    const other = { task_version_digest: `sha256:${'0'.repeat(64)}` }
    expect(refusal(await approve(other))).toEqual([409, 'task_version_digest_mismatch'])
    expect(await count()).toBe(0)
  })

  it('is refused for an archived task', async () => {
    await api.call(taskRoutes.archiveTask, tenant.companyManager, { params: { id: taskId } })
    expect(refusal(await approve())).toEqual([409, 'task_archived'])
  })

  it.each([
    ['no slots', { slot_names: [] }, 'slot_names'],
    ['the same slot twice', { slot_names: ['A', 'A'] }, 'slot_names'],
    ['too many slots', { slot_names: Array.from({ length: 101 }, (_, at) => `S${at}`) }, 'slot_names'],
    ['a reserved slot', { slot_names: ['SERVICE_X'] }, 'slot_names'],
    ['a slot that is no name', { slot_names: ['a-b'] }, 'slot_names'],
    ['a risk that is not accepted', { risk_accepted: false }, 'risk_accepted'],
    ['a risk of another type', { risk_accepted: 'true' }, 'risk_accepted'],
    ['no risk', { risk_accepted: undefined }, 'risk_accepted'],
    ['a digest that is none', { task_version_digest: 'sha256:abc' }, 'task_version_digest'],
    ['an unknown field', { reason: 'x' }, 'reason'],
  ])('refuses %s', async (_name, body, field) => {
    const { status, body: answer } = await approve(body)
    expect(status).toBe(422)
    expect((answer.detail as { loc: string[] }[])[0]?.loc.slice(0, 2)).toEqual(['body', field])
    expect(await count()).toBe(0)
  })

  it('has a reason of 512 characters at most', async () => {
    const { body } = await approve()
    expect((await revoke(body.id, { reason: 'x'.repeat(513) })).status).toBe(422)
    expect((await revoke(body.id, { reason: 'x'.repeat(512) })).status).toBe(200)
  })
})

describe('who may approve', () => {
  it('managers of the consumer, and nobody else', async () => {
    const department = { consumer_scope: 'department', consumer_id: tenant.departmentId }
    const company = { consumer_scope: 'company', consumer_id: tenant.companyId }
    for (const [as, body] of [
      [tenant.roomManager, {}],
      [tenant.departmentManager, department],
      [tenant.companyManager, company],
    ] as const) {
      const { status, body: made } = await approve(body, as)
      expect([status, (await revoke(made.id, undefined, as)).status]).toEqual([200, 200])
    }
    const { body: approval } = await approve()
    for (const [as, body] of [
      [tenant.member, {}],
      [tenant.stranger, {}],
      [tenant.roomManager, department],
      [tenant.departmentManager, company],
      [(await makeTenant(db)).companyManager, {}],
    ] as const) {
      expect(refusal(await approve(body, as))).toEqual([404, 'not_found'])
    }
    for (const as of [tenant.member, tenant.stranger, (await makeTenant(db)).companyManager])
      expect(refusal(await revoke(approval.id, undefined, as))).toEqual([404, 'not_found'])
    expect(refusal(await revoke(newId('secretApproval')))).toEqual([404, 'not_found'])
    const as = withSandboxKey(tenant.roomManager, [tenant.roomId])
    expect((await approve({}, as)).status).toBe(403)
  })

  it('hides versions and tasks that are not there', async () => {
    const foreign = await makeTenant(db)
    for (const body of [
      { task_version_id: newId('taskVersion') },
      { task_id: newId('task') },
      { consumer_id: foreign.roomId },
    ])
      expect(refusal(await approve(body, tenant.companyManager))).toEqual([404, 'not_found'])
  })
})

describe('the list of a task', () => {
  it('has the approvals of the consumers that the caller manages', async () => {
    const { body: ofRoom } = await approve()
    const department = { consumer_scope: 'department', consumer_id: tenant.departmentId }
    const { body: ofDepartment } = await approve(department, tenant.departmentManager)
    const ids = async (as: Principal, query?: Record<string, string>) =>
      (await list(as, query)).body.items.map(({ id }) => id)
    expect(await ids(tenant.companyManager)).toEqual([ofRoom.id, ofDepartment.id])
    expect(await ids(tenant.departmentManager)).toEqual([ofRoom.id, ofDepartment.id])
    expect(await ids(tenant.roomManager)).toEqual([ofRoom.id])
    expect(await ids(tenant.member)).toEqual([])
    expect((await list(tenant.stranger)).status).toBe(404)
    await revoke(ofRoom.id)
    expect(await ids(tenant.companyManager)).toEqual([ofDepartment.id])
    expect(await ids(tenant.companyManager, { lifecycle: 'retired' })).toEqual([ofRoom.id])
    const page = (await list(tenant.companyManager, { lifecycle: 'all', page_size: '1' })).body
    expect(page).toMatchObject({ items: [{ id: ofRoom.id }], page_size: 1, truncated: true })
  })
})

it('counts to the bytes of the company, also when it is revoked, and is refused where its quota is used up', async () => {
  const first = await approve()
  await revoke(first.body.id)
  const limit = { kept_bytes_limit: 1 }
  await setOperatorPolicy({ db, deployment: 'onprem' }, tenant.companyId, limit)
  expect(refusal(await approve())).toEqual([409, 'storage_quota_exceeded'])
})
