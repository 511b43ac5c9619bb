import type {
  ExtendedSecretApproval,
  ExtendedSecretApprovalList,
} from '@sandbox-jobs/contract/resources/secrets/extended-secret-approval.ts'
import type { TaskVersion } from '@sandbox-jobs/contract/resources/tasks/task-version.ts'
import { approvalRoutes } from '@sandbox-jobs/contract/routes/approval-routes.ts'
import { secretRoutes } from '@sandbox-jobs/contract/routes/secret-routes.ts'
import { taskRoutes } from '@sandbox-jobs/contract/routes/task-routes.ts'
import { userRoutes } from '@sandbox-jobs/contract/routes/user-routes.ts'
import { type RawBuilder, sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  approveNext,
  daysAhead,
  nextVersionsBody,
  publishChanged,
} from '../../../../testing/apps/steps/next-version-steps.ts'
import { TestApi } from '../../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../../testing/database/test-database.ts'
import { eventually } from '../../../../testing/eventually.ts'
import { makeEnvironmentVersion } from '../../../../testing/factories/environment-version.ts'
import { makeTenant, makeUser, type Tenant } from '../../../../testing/factories/tenant.ts'
import type { Principal } from '../../../access/principal.ts'
import { sweepNextVersions } from '../../../secrets/sweeps.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
const { tasks } = api
let tenant: Tenant
let author: Principal
let approver: Principal
let room: { scope: string; id: string }
let taskId: string
let environmentVersionId: string
let first: TaskVersion
let shareId: string

beforeEach(async () => {
  tenant = await makeTenant(db)
  const { companyId, departmentId, roomId } = tenant
  author = tenant.departmentManager
  approver = await makeUser(db, { companyId, role: 3 })
  room = { scope: 'chatroom', id: roomId }
  environmentVersionId = (await makeEnvironmentVersion(db, { companyId })).id
  taskId = (await tasks.create(author, { scope: 'department', id: departmentId })).id
  first = await publish()
  shareId = (await tasks.share(author, { taskId, kind: 'chatroom', id: roomId })).id
})

const publish = (as = author, slots: unknown[] = ['A']) =>
  publishChanged(api, as, { taskId, environmentVersionId, slots })
const give = (fields: Record<string, unknown> = {}, as = approver) =>
  approveNext(api, as, nextVersionsBody(room, first, fields))
const tried = async (fields: Record<string, unknown>, as = approver) => {
  const body = nextVersionsBody(room, first, fields)
  const answer = await api.call(approvalRoutes.approveNextVersions, as, { body })
  return [answer.status, (answer.body as { detail: { code?: string } }).detail?.code]
}
const list = async (query: Record<string, string> = {}, as = approver) => {
  const params = { id: taskId }
  const answer: ExtendedSecretApprovalList = await api.must(approvalRoutes.listExtendedSecretApprovals, as, {
    params,
    query,
  })
  return answer.items
}
const ids = async (version: TaskVersion) => (await list({ task_version_id: version.id })).map(({ id }) => id)
const only = async (): Promise<ExtendedSecretApproval> => {
  const [one, ...others] = await list({ lifecycle: 'all' })
  if (!one || others.length > 0) throw new Error('not one approval')
  return one
}
const revoke = (id: string) => api.must(secretRoutes.revokeSecretApproval, approver, { params: { id } })
/** Entries about what the approval covers, in their order: states, and the route or the service. */
const audit = async (id: string) => {
  const { rows } = await sql<{ from_state: string; to_state: string; context: string }>`
    select from_state, to_state, context from audit_pending
    where company_id = ${tenant.companyId} and object_type = 'next_versions' and object_id = ${id} order by id`.execute(
    db,
  )
  return rows.map(({ from_state, to_state, context }) => [
    from_state,
    to_state,
    context && (JSON.parse(context) as { action: string }).action,
  ])
}
const change = (statement: RawBuilder<unknown>) =>
  sql`/* across companies: a test */ ${statement}`.execute(db)

describe('an approval of next versions', () => {
  it('says what it covers, beside what an approval of one version says', async () => {
    const until = daysAhead(30)
    const given = await give({ next_versions_until: until })
    expect(given).toMatchObject({
      id: expect.stringMatching(/^sap_/),
      task_version_id: first.id,
      state: 'active',
      next_versions: {
        until,
        author_id: author.principalId,
        approved_by: approver.principalId,
        after_version_number: 1,
        slot_names: ['A'],
        share_grant_id: shareId,
        active: true,
        end_reason: null,
        ended_at: null,
      },
    })
    expect(await list()).toEqual([given])
    expect(await audit(given.id)).toEqual([['', 'active', 'approveNextVersions']])
  })

  it('is the approval of the version that there is already, and is given for longer again', async () => {
    const body = { ...nextVersionsBody(room, first), next_versions_until: undefined }
    const exact = await api.must(secretRoutes.createSecretApproval, approver, { body })
    expect((await only()).next_versions).toBeNull()
    const given = await give()
    expect(given).toMatchObject(exact)
    await revokeShareAndShareAgain()
    const again = await give({ next_versions_until: daysAhead(60) })
    expect(again.id).toBe(exact.id)
    expect(again.next_versions).toMatchObject({ active: true, share_grant_id: shareId })
    expect(again.next_versions?.until).not.toBe(given.next_versions?.until)
    // The contract's own route still answers what is there.
    expect(await api.must(secretRoutes.createSecretApproval, approver, { body })).toEqual(exact)
    expect(await audit(exact.id)).toHaveLength(2)
  })

  it('lists what counts for a version', async () => {
    const given = await give()
    const second = await publish()
    expect(await ids(first)).toEqual([given.id])
    expect(await ids(second)).toEqual([given.id])
    const third = await publish(tenant.companyManager)
    expect(await ids(third)).toEqual([])
    expect(await ids(second)).toEqual([])
    expect(await ids(first)).toEqual([given.id])
    await revoke(given.id)
    expect(await list({ task_version_id: first.id, lifecycle: 'all' })).toEqual([])
    const params = { id: taskId }
    const query = { task_version_id: `tvr_${'0'.repeat(32)}` }
    const answer = await api.call(approvalRoutes.listExtendedSecretApprovals, approver, { params, query })
    expect(answer.status).toBe(404)
  })

  it.each([
    ['now', () => daysAhead(0)],
    ['the past', () => daysAhead(-1)],
    ['more than 90 days', () => daysAhead(90.1)],
  ])('refuses %s with a code, and leaves nothing', async (_name, until) => {
    expect(await tried({ next_versions_until: until() })).toEqual([422, 'next_versions_until_invalid'])
    expect(await list({ lifecycle: 'all' })).toEqual([])
  })

  it.each([
    ['no time', undefined],
    ['a time that is none', '2026-02-30T00:00:00Z!'],
    ['a number', 30],
    ['a leap second', '2026-12-31T23:59:60Z'],
  ])('refuses %s', async (_name, next_versions_until) => {
    expect((await tried({ next_versions_until }))[0]).toBe(422)
    expect(await list({ lifecycle: 'all' })).toEqual([])
  })

  it('may last 90 days', async () => {
    expect((await give({ next_versions_until: daysAhead(89.99) })).next_versions?.active).toBe(true)
  })

  it('is for who manages the task and the consumer: a borrower approves exact versions alone', async () => {
    expect(await tried({}, author)).toEqual([200, undefined])
    for (const as of [tenant.roomManager, tenant.member, tenant.stranger])
      expect(await tried({}, as)).toEqual([404, 'not_found'])
    const company = { consumer_scope: 'company', consumer_id: tenant.companyId }
    expect(await tried(company, author)).toEqual([404, 'not_found'])
    expect(await tried({}, (await makeTenant(db)).companyManager)).toEqual([404, 'not_found'])
  })

  it('needs an author who manages the task', async () => {
    await change(sql`update users set role = 1 where id = ${author.principalId}`)
    expect(await tried({})).toEqual([409, 'version_author_left'])
    expect(await list({ lifecycle: 'all' })).toEqual([])
  })

  it('needs a share that reaches the consumer as a whole', async () => {
    for (const [scope, id] of [
      ['department', tenant.departmentId],
      ['company', tenant.companyId],
    ] as const) {
      const consumer = { consumer_scope: scope, consumer_id: id }
      expect(await tried(consumer)).toEqual([409, 'task_not_shared_to_room'])
      const made = await tasks.share(author, { taskId, kind: scope, id })
      expect((await give(consumer)).next_versions?.share_grant_id).toBe(made.id)
    }
    await api.must(taskRoutes.revokeShare, author, { params: { id: taskId, gid: shareId } })
    // By the share with the department, which is narrower than that with the company.
    const [ofDepartment] = (await list()).filter((one) => one.consumer_scope === 'department')
    expect((await give()).next_versions?.share_grant_id).toBe(ofDepartment?.next_versions?.share_grant_id)
  })
})

async function revokeShareAndShareAgain() {
  await api.must(taskRoutes.revokeShare, author, { params: { id: taskId, gid: shareId } })
  shareId = (await tasks.share(author, { taskId, kind: 'chatroom', id: tenant.roomId })).id
}

const changeUser = (user: Principal, set: Record<string, unknown>) =>
  makeUser(db, { companyId: tenant.companyId, role: 4 }).then((administrator) =>
    api.must(userRoutes.updateUser, administrator, { params: { id: user.principalId }, body: set }),
  )

describe('what ends it', () => {
  /** The causes in whose transaction the end is recorded. */
  it.each<[string, string, string, () => Promise<unknown>]>([
    [
      'a version of another author',
      'other_author',
      'publishTaskVersion',
      () => publish(tenant.companyManager),
    ],
    ['a slot more', 'other_slots', 'publishTaskVersion', () => publish(author, ['A', 'B'])],
    ['no slots', 'other_slots', 'publishTaskVersion', () => publish(author, [])],
    ['its revocation', 'revoked', 'revokeSecretApproval', async () => revoke((await only()).id)],
  ])('%s, for good', async (_name, reason, action, end) => {
    const { id } = await give()
    await publish()
    await end()
    const { next_versions } = await only()
    expect(next_versions).toMatchObject({ active: false, end_reason: reason })
    expect(next_versions?.ended_at).toMatch(/Z$/)
    expect(await ids(await publish())).toEqual([])
    await sweepNextVersions({ db })()
    expect(await audit(id)).toEqual([
      ['', 'active', 'approveNextVersions'],
      ['active', reason, action],
    ])
  })

  /** Those that a round of the worker records, and that count before it does. */
  it.each<[string, string, () => Promise<unknown>]>([
    ['a share of the next generation', 'share_changed', revokeShareAndShareAgain],
    [
      'the end of its share',
      'share_changed',
      () => api.must(taskRoutes.revokeShare, author, { params: { id: taskId, gid: shareId } }),
    ],
    ['an author who is disabled', 'author_left', () => changeUser(author, { disabled: true })],
    [
      'an author who no longer manages the department',
      'author_left',
      () => changeUser(author, { managed_department_ids: [] }),
    ],
    ['an approver who may no longer approve', 'approver_left', () => changeUser(approver, { role: 1 })],
    [
      'the time',
      'expired',
      () => change(sql`update secret_approvals set next_until = now() where task_id = ${taskId}`),
    ],
  ])('%s', async (_name, reason, end) => {
    const { id } = await give()
    const second = await publish()
    expect(await ids(second)).toEqual([id])
    await end()
    const as = reason === 'approver_left' ? tenant.companyManager : approver
    const shown = async () => (await list({ lifecycle: 'all' }, as))[0]?.next_versions
    expect(await shown()).toMatchObject({ active: false, end_reason: reason, ended_at: null })
    expect((await list({ task_version_id: second.id }, as)).map((one) => one.id)).toEqual([])
    const { ended } = await sweepNextVersions({ db })()
    expect(ended).toBeGreaterThan(0)
    expect(await shown()).toMatchObject({ end_reason: reason, ended_at: expect.stringMatching(/Z$/) })
    await sweepNextVersions({ db })()
    expect((await audit(id)).slice(1)).toEqual([['active', reason, '']])
  })

  it('a version that is being published while it is given', async () => {
    const given = await db.transaction().execute(async (trx) => {
      // As a publication holds it.
      await sql`select from tasks where id = ${taskId} and company_id = ${tenant.companyId} for update`.execute(
        trx,
      )
      const giving = give()
      await eventually(async () => {
        const { rows } = await sql`select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and query like '%from tasks%for share%'`.execute(
          db,
        )
        expect(rows).toHaveLength(1)
      })
      return { giving }
    })
    expect((await given.giving).next_versions?.active).toBe(true)
  })

  it('not a draft, an archived version, or a version of another task', async () => {
    await give()
    const fields = { secret_slot_declarations: ['B'] }
    await tasks.draft(tenant.companyManager, { taskId, environmentVersionId, fields })
    const second = await publish()
    await api.must(taskRoutes.archiveTaskVersion, author, { params: { id: taskId, vid: first.id } })
    const other = await tasks.create(author, { scope: 'department', id: tenant.departmentId })
    await tasks.publish(tenant.companyManager, { taskId: other.id, environmentVersionId })
    expect((await only()).next_versions?.active).toBe(true)
    expect(await ids(second)).toHaveLength(1)
  })
})

it('rounds look at approvals in turn, however many there are', async () => {
  const round = sweepNextVersions({ db }, 1)
  await give()
  await give({ slot_names: ['B'] })
  await change(sql`update secret_approvals set next_until = now() where task_id = ${taskId}`)
  let ended = 0
  for (let each = 0; each < 200 && ended < 2; each += 1) ended += (await round()).ended
  expect((await list()).map(({ next_versions }) => next_versions?.ended_at)).toEqual([
    expect.any(String),
    expect.any(String),
  ])
})
