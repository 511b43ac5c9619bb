import type { TaskVersion } from '@sandbox-jobs/contract/resources/tasks/task-version.ts'
import { secretRoutes } from '@sandbox-jobs/contract/routes/secret-routes.ts'
import { taskRoutes } from '@sandbox-jobs/contract/routes/task-routes.ts'
import { type RawBuilder, sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  approveNext,
  nextVersionsBody,
  publishChanged,
} from '../../../../testing/apps/steps/next-version-steps.ts'
import { TestApi } from '../../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../../testing/database/test-database.ts'
import { makeEnvironmentVersion } from '../../../../testing/factories/environment-version.ts'
import { makeUser } from '../../../../testing/factories/platform.ts'
import { makeRun } from '../../../../testing/factories/runs.ts'
import { makeDepartment, makeRoom, makeTenant, type Tenant } from '../../../../testing/factories/tenant.ts'
import type { Principal } from '../../../access/principal.ts'
import type { ClaimedRun } from '../../model/claimed-run.ts'
import { findSecretTerms } from './secret-terms-store.ts'

/* Which approvals a claimed run finds: those of its version, and those that cover it as a next version. */

const { db } = await createTestDatabase()
const api = new TestApi(db)
const { tasks } = api
let tenant: Tenant
let author: Principal
/** Manages the department that owns the task, and one room of another department. */
let approver: Principal
let room: { scope: string; id: string }
let taskId: string
let environmentVersionId: string
let shareId: string
let first: TaskVersion

beforeEach(async () => {
  tenant = await makeTenant(db)
  const { companyId, departmentId } = tenant
  author = tenant.departmentManager
  const elsewhere = await makeDepartment(db, companyId)
  room = { scope: 'chatroom', id: await makeRoom(db, { companyId, departmentId: elsewhere }) }
  approver = await makeUser(db, companyId, { role: 2, manages: [departmentId], managerOf: [room.id] })
  environmentVersionId = (await makeEnvironmentVersion(db, { companyId })).id
  taskId = (await tasks.create(author, { scope: 'department', id: departmentId })).id
  first = await publish()
  shareId = (await tasks.share(author, { taskId, kind: 'company', id: companyId })).id
})

const publish = (as = author, slots: unknown[] = ['A']) =>
  publishChanged(api, as, { taskId, environmentVersionId, slots })
const approve = (version: TaskVersion, consumer = room, as = approver, fields = {}) =>
  approveNext(api, as, nextVersionsBody(consumer, version, fields))

/** The approvals that a run of the version in the room would find. */
async function found(version: TaskVersion, chatroom_id = room.id) {
  const run = { companyId: tenant.companyId, taskId, versionId: version.id, environmentVersionId }
  const id = await makeRun(db, { ...run, shareGrantId: shareId }, { chatroom_id })
  const named = { id, companyId: tenant.companyId, fence: 0 } as ClaimedRun
  const terms = await findSecretTerms(db, named, ['A'])
  return (terms?.approvals ?? []).map((one) => [one.id, one.isOfVersion])
}
const change = (statement: RawBuilder<unknown>) =>
  sql`/* across companies: a test */ ${statement}`.execute(db)

describe('an approval of next versions', () => {
  it('counts for its own version and for newer ones of the same author', async () => {
    const { id } = await approve(first)
    expect(await found(first)).toEqual([[id, true]])
    expect(await found(await publish())).toEqual([[id, false]])
    expect(await found(await publish())).toEqual([[id, false]])
  })

  it('comes after an approval of the very version', async () => {
    const { id } = await approve(first)
    const second = await publish()
    const body = { ...nextVersionsBody(room, second), next_versions_until: undefined }
    const exact = await api.must(secretRoutes.createSecretApproval, approver, { body })
    expect(await found(second)).toEqual([
      [exact.id, true],
      [id, false],
    ])
  })

  it('is not made by one that was given for its version alone', async () => {
    const body = { ...nextVersionsBody(room, first), next_versions_until: undefined }
    await api.must(secretRoutes.createSecretApproval, approver, { body })
    expect(await found(await publish())).toEqual([])
  })

  it('does not count for an older version', async () => {
    const second = await publish()
    await approve(second)
    expect(await found(first)).toEqual([])
  })

  it('counts however the same slots are written', async () => {
    const { id } = await approve(first)
    expect(await found(await publish(author, [{ name: 'A' }]))).toEqual([[id, false]])
  })

  it('counts for a version that another manager publishes unchanged', async () => {
    const { id } = await approve(first)
    const draft = await tasks.draft(author, {
      taskId,
      environmentVersionId,
      fields: { secret_slot_declarations: ['A'] },
    })
    const params = { id: taskId, vid: draft.id }
    const second = await api.must(taskRoutes.publishTaskVersion, tenant.companyManager, { params })
    expect(await found(second)).toEqual([[id, false]])
  })

  it('does not count for a draft of the author that another manager changed', async () => {
    await approve(first)
    const fields = { secret_slot_declarations: ['A'] }
    const draft = await tasks.draft(author, { taskId, environmentVersionId, fields })
    const params = { id: taskId, vid: draft.id }
    const body = { work_script: 'echo changed' }
    await api.must(taskRoutes.updateTaskVersion, tenant.companyManager, { params, body })
    await api.must(taskRoutes.updateTaskVersion, author, { params, body: { timeout_seconds: 7 } })
    expect(await found(await api.must(taskRoutes.publishTaskVersion, author, { params }))).toEqual([])
  })

  it('is of a room: a share of its own to another room does not matter to it', async () => {
    const company = { scope: 'company', id: tenant.companyId }
    const { id } = await approve(first, company, tenant.companyManager)
    const second = await publish()
    expect(await found(second)).toEqual([[id, false]])
    await tasks.share(author, { taskId, kind: 'chatroom', id: tenant.roomId })
    // By the share to the room, which was not there when it was approved.
    expect(await found(second, tenant.roomId)).toEqual([])
    expect(await found(second)).toEqual([[id, false]])
  })
})

/** Each alone, although nobody recorded an end. */
describe('a run of a newer version finds nothing', () => {
  let second: TaskVersion
  let approvalId: string
  beforeEach(async () => {
    approvalId = (await approve(first)).id
    second = await publish()
  })

  const user = (set: RawBuilder<unknown>, { principalId }: Principal) =>
    change(sql`update users set ${set} where id = ${principalId}`)
  const version = (set: RawBuilder<unknown>) =>
    change(sql`update task_versions set ${set} where id = ${second.id}`)
  const approval = (set: RawBuilder<unknown>) =>
    change(sql`update secret_approvals set ${set} where id = ${approvalId}`)

  it.each<[string, () => Promise<unknown>]>([
    ['it is of another author', () => version(sql`created_by = ${tenant.companyManager.principalId}`)],
    ['others have changed it', () => version(sql`sole_author = false`)],
    ['it has a slot more', () => version(sql`secret_slot_declarations = '["A", "B"]'`)],
    ['it has no slot', () => version(sql`secret_slot_declarations = null`)],
    ['it has another slot', () => version(sql`secret_slot_declarations = '[{"name": "B"}]'`)],
    ['its time is over', () => approval(sql`next_until = now()`)],
    ['it is revoked', () => approval(sql`state = 'revoked', revoked_at = now()`)],
    ['an end was recorded', () => approval(sql`next_ended_at = now(), next_end_reason = 'expired'`)],
    ['the author is disabled', () => user(sql`disabled_at = now()`, author)],
    ['the author is a member', () => user(sql`role = 1`, author)],
    ['who approved is disabled', () => user(sql`disabled_at = now()`, approver)],
    [
      'who approved does not manage the task any more',
      () => change(sql`delete from department_managers where user_id = ${approver.principalId}`),
    ],
    [
      'who approved does not manage the room any more',
      () =>
        change(sql`update chatroom_members set room_manager = false where user_id = ${approver.principalId}`),
    ],
    [
      'who approved left the room',
      () => change(sql`delete from chatroom_members where user_id = ${approver.principalId}`),
    ],
    [
      'a narrower share reaches the room',
      () => tasks.share(author, { taskId, kind: 'chatroom', id: room.id }),
    ],
    [
      'the share is of another generation',
      async () => {
        await api.must(taskRoutes.revokeShare, author, { params: { id: taskId, gid: shareId } })
        shareId = (await tasks.share(author, { taskId, kind: 'company', id: tenant.companyId })).id
      },
    ],
  ])('where %s', async (_name, end) => {
    expect(await found(second)).toEqual([[approvalId, false]])
    await end()
    expect(await found(second)).toEqual([])
  })
})
