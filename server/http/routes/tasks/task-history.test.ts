import { historyRoutes } from '@sandbox-jobs/contract/routes/history-routes.ts'
import { beforeEach, describe, expect, it } from 'vitest'
import { TestApi } from '../../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../../testing/database/test-database.ts'
import { withSandboxKey } from '../../../../testing/factories/platform.ts'
import { makeRun, makeRunnableTask, type RunnableTask } from '../../../../testing/factories/runs.ts'
import { makeDepartment, makeRoom, makeTenant, type Tenant } from '../../../../testing/factories/tenant.ts'
import type { Principal } from '../../../access/principal.ts'
import { newId } from '../../../base/ids.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
let tenant: Tenant
let task: RunnableTask

beforeEach(async () => {
  tenant = await makeTenant(db)
  task = await makeRunnableTask(db, tenant.companyId)
})

type Query = Record<string, string | string[]>
const list = (query: Query = {}, principal: Principal = tenant.companyManager, id = task.taskId) =>
  api.call(historyRoutes.listTaskRuns, principal, { params: { id }, query })
const count = (query: Query = {}, principal: Principal = tenant.companyManager, id = task.taskId) =>
  api.call(historyRoutes.countTaskRuns, principal, { params: { id }, query })
const ids = async (query: Query = {}) => (await list(query)).body.map((item) => item.id)
const run = (fields: Partial<Parameters<typeof makeRun>[2]> = {}, of = task) =>
  makeRun(db, of, { chatroom_id: tenant.roomId, ...fields })
const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute))

describe('the history of a task', () => {
  it('is an array of who ran what, where and for how long', async () => {
    const id = await run({
      principal_id: tenant.member.principalId,
      state: 'customer_failed',
      error_code: 'work_exit_nonzero',
      exit_code: 1,
      queued_at: at(0),
      claimed_at: at(1),
      started_at: at(1),
      terminal_at: new Date(at(2).getTime() + 500),
    })
    await run({}, await makeRunnableTask(db, tenant.companyId))
    expect((await list()).body).toEqual([
      {
        id,
        task_id: task.taskId,
        task_version_id: task.versionId,
        status: 'customer_failed',
        queued_at: '2026-01-01T00:00:00.000Z',
        started_at: '2026-01-01T00:01:00.000Z',
        terminal_at: '2026-01-01T00:02:00.500Z',
        duration_seconds: 60.5,
        cost_usd: null,
        executor_kind: 'internal_user',
        executor_id: tenant.member.principalId,
        executor_display_name: tenant.member.principalId,
        source_kind: 'chatroom',
        chatroom_id: tenant.roomId,
        chatroom_name: tenant.roomId,
        department_id: tenant.departmentId,
        department_name: tenant.departmentId,
        external_platform: null,
        method: 'manual',
        submission_source: 'rest',
        resource_profile: 'standard',
        error_code: 'work_exit_nonzero',
      },
    ])
    expect((await count()).body).toEqual({ num: 1 })
  })

  it('distinguishes agents, triggers and external people', async () => {
    const agent = await run({ queued_at: at(1), submission_source: 'agent' })
    const trigger = await run({ queued_at: at(2), submission_source: 'custom_table_trigger' })
    const outside = await run({
      queued_at: at(3),
      principal_type: 'social_media_client',
      principal_id: newId('socialClient'),
      submission_source: 'agent',
    })
    const quick = await run({ queued_at: at(4), submission_source: 'quick_run', share_grant_id: null })
    expect((await list({ order: 'asc' })).body).toMatchObject([
      { id: agent, method: 'agent', source_kind: 'chatroom', external_platform: 'agent' },
      { id: trigger, method: 'manual', source_kind: 'department', external_platform: null },
      { id: outside, executor_kind: 'external_user', source_kind: 'external_platform' },
      { id: quick, method: 'manual', source_kind: 'chatroom', duration_seconds: null },
    ])
    const filters: [Query, string[]][] = [
      [{ method: 'agent' }, [outside, agent]],
      [{ method: 'manual' }, [quick, trigger]],
      [{ executor_kind: 'internal_user' }, [quick, trigger, agent]],
      [{ executor_kind: 'external_user' }, [outside]],
      [{ source_kind: 'chatroom' }, [quick, agent]],
      [{ source_kind: 'department' }, [trigger]],
      [{ source_kind: 'external_platform' }, [outside]],
      [{ method: 'agent', executor_kind: 'internal_user', source_kind: 'chatroom' }, [agent]],
    ]
    for (const [query, expected] of filters) {
      expect(await ids(query)).toEqual(expected)
      expect((await count(query)).body).toEqual({ num: expected.length })
    }
  })

  it('names the external person and the channel that the run came through', async () => {
    const client = { id: newId('socialClient'), channel: 'line', client_id: 'U42', display_name: 'Grace' }
    const room = { company_id: tenant.companyId, chatroom_id: tenant.roomId }
    await db
      .insertInto('social_media_clients')
      .values({ ...client, ...room })
      .execute()
    await run({
      principal_type: 'social_media_client',
      principal_id: client.id,
      submission_source: 'agent',
    })
    const shown = { executor_id: client.id, executor_display_name: 'Grace', external_platform: 'line' }
    expect((await list()).body).toMatchObject([{ ...shown, method: 'agent' }])
    await db
      .updateTable('social_media_clients')
      .set({ removed_at: new Date() })
      .where('id', '=', client.id)
      .execute()
    expect((await list()).body).toMatchObject([shown])
  })

  it('is narrowed by status, room and department', async () => {
    const departmentId = await makeDepartment(db, tenant.companyId)
    const otherRoom = await makeRoom(db, { companyId: tenant.companyId, departmentId })
    const here = await run({ queued_at: at(1) })
    const there = await run({
      queued_at: at(2),
      chatroom_id: otherRoom,
      state: 'cancelled',
      terminal_at: at(3),
    })
    const filters: [Query, string[]][] = [
      [{ status: 'queued' }, [here]],
      [{ status: ['queued', 'cancelled'] }, [there, here]],
      [{ status: 'running' }, []],
      [{ chatroom_id: otherRoom }, [there]],
      [{ department_id: tenant.departmentId }, [here]],
      [{ department_id: departmentId, chatroom_id: tenant.roomId }, []],
      [{ chatroom_id: newId('chatroom') }, []],
    ]
    for (const [query, expected] of filters) {
      expect(await ids(query)).toEqual(expected)
      expect((await count(query)).body).toEqual({ num: expected.length })
    }
  })

  it('keeps runs of a deleted room and of an archived task', async () => {
    const id = await run()
    await db
      .updateTable('chatrooms')
      .set({ deleted_at: new Date() })
      .where('id', '=', tenant.roomId)
      .execute()
    await db.updateTable('tasks').set({ state: 'archived' }).where('id', '=', task.taskId).execute()
    expect(await ids()).toEqual([id])
  })

  it('returns the ten newest by default, and any page in either order', async () => {
    const all: string[] = []
    // Ids that were created in the same millisecond have no defined order.
    for (let n = 0; n < 6; n++) {
      const twins = [await run({ queued_at: at(n) }), await run({ queued_at: at(n) })]
      all.push(...twins.toSorted())
    }
    const newest = all.toReversed()
    expect(await ids()).toEqual(newest.slice(0, 10))
    expect(await ids({ offset: '10' })).toEqual(newest.slice(10))
    expect(await ids({ order: 'asc', offset: '3', limit: '4' })).toEqual(all.slice(3, 7))
    expect(await ids({ limit: '100' })).toEqual(newest)
    expect(await ids({ offset: '12' })).toEqual([])
    expect(await ids({ offset: String(Number.MAX_SAFE_INTEGER) })).toEqual([])
    expect((await count()).body).toEqual({ num: 12 })
  })

  it.each([
    ['an offset below 0', { offset: '-1' }],
    ['an offset beyond counting', { offset: '1e30' }],
    ['a limit of 0', { limit: '0' }],
    ['a limit of 101', { limit: '101' }],
    ['an unknown order', { order: 'newest' }],
    ['an unknown status', { status: 'sleeping' }],
    ['a submission source as method', { method: 'rest' }],
    ['an unknown executor', { executor_kind: 'robot' }],
    ['an unknown source', { source_kind: 'company' }],
    ['a department with a slash', { department_id: '../x' }],
  ])('refuses %s with 422', async (_name, query) => {
    const { status, body } = await list(query)
    expect(status).toBe(422)
    expect((body as { detail?: unknown }).detail).toBeInstanceOf(Array)
  })

  it('is for company managers: others get 403 before anything is looked up', async () => {
    for (const principal of [tenant.member, tenant.roomManager, tenant.departmentManager, tenant.stranger]) {
      for (const id of [task.taskId, newId('task')]) {
        for (const { status, body } of [await list({}, principal, id), await count({}, principal, id)]) {
          expect([status, body]).toEqual([403, { detail: 'Insufficient permissions.' }])
        }
      }
    }
  })

  it('is hidden with a task that is absent or of another company', async () => {
    await run()
    const foreign = (await makeTenant(db)).companyManager
    for (const answer of [
      await list({}, foreign),
      await count({}, foreign),
      await list({}, tenant.companyManager, newId('task')),
      await count({}, tenant.companyManager, newId('task')),
    ]) {
      expect(answer).toEqual({
        status: 404,
        body: { detail: { code: 'not_found', message: 'Not found.' } },
      })
    }
  })

  it('is refused to a sandbox-scope key', async () => {
    const key = withSandboxKey(tenant.companyManager, [tenant.roomId])
    expect((await list({}, key)).status).toBe(403)
    expect((await count({}, key)).status).toBe(403)
  })
})
