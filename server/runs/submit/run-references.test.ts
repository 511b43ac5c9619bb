import { beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeEnvironmentVersion } from '../../../testing/factories/environment-version.ts'
import { makeRun, makeRunnableTask, type RunnableTask } from '../../../testing/factories/runs.ts'
import { makeRoom, makeTenant, type Tenant } from '../../../testing/factories/tenant.ts'
import { newId } from '../../base/ids.ts'

const { db } = await createTestDatabase()

let tenant: Tenant
let task: RunnableTask
beforeEach(async () => {
  tenant = await makeTenant(db)
  task = await makeRunnableTask(db, tenant.companyId)
})

const isMissing = { code: '23503', message: 'a run refers to a row that is not there' }
const runs = async () => (await db.selectFrom('runs').select('id').execute()).length

describe('what a run refers to', () => {
  it.each(['chatroom_id', 'task_version_id', 'environment_version_id', 'share_grant_id'])(
    'is there when it is made: %s',
    async (column) => {
      const before = await runs()
      const run = makeRun(db, task, { chatroom_id: tenant.roomId, [column]: 'nowhere' })
      await expect(run).rejects.toMatchObject(isMissing)
      expect(await runs()).toBe(before)
    },
  )

  it('is of its company, and its version of its task', async () => {
    const foreign = await makeTenant(db)
    const other = await makeRunnableTask(db, tenant.companyId)
    for (const [of, roomId] of [
      [task, foreign.roomId],
      [{ ...task, companyId: foreign.companyId }, foreign.roomId],
      [{ ...task, versionId: other.versionId }, tenant.roomId],
    ] as const) {
      await expect(makeRun(db, of, { chatroom_id: roomId })).rejects.toMatchObject(isMissing)
    }
  })

  it('stays as long as the run', async () => {
    // Rows that nothing else refers to.
    const chatroom_id = await makeRoom(db, tenant)
    const { id: environment_version_id } = await makeEnvironmentVersion(db, { companyId: tenant.companyId })
    await makeRun(db, task, { chatroom_id, environment_version_id })
    for (const [table, id] of [
      ['chatrooms', chatroom_id],
      ['environment_versions', environment_version_id],
      ['task_versions', task.versionId],
      ['share_grants', task.shareGrantId],
    ] as const) {
      await expect(db.deleteFrom(table).where('id', '=', id).execute()).rejects.toMatchObject({
        code: '23503',
        message: `a run refers to this row of ${table}`,
      })
    }
  })

  it('may go where no run refers to it', async () => {
    const deleted = await db.deleteFrom('share_grants').where('id', '=', task.shareGrantId).executeTakeFirst()
    expect(deleted.numDeletedRows).toBe(1n)
  })

  it('stays the same', async () => {
    const id = await makeRun(db, task, { chatroom_id: tenant.roomId })
    const moved = db.updateTable('runs').set({ share_grant_id: null }).where('id', '=', id).execute()
    await expect(moved).rejects.toMatchObject({ code: '23503' })
  })

  it('is gone for who makes a run while it is being deleted', async () => {
    const trx = await db.startTransaction().execute()
    await trx.deleteFrom('share_grants').where('id', '=', task.shareGrantId).execute()
    const run = makeRun(db, task, { chatroom_id: tenant.roomId })
    await trx.commit().execute()
    await expect(run).rejects.toMatchObject(isMissing)
  })

  it('stays when a run was being made as it was to be deleted', async () => {
    const id = await makeRun(db, task, { chatroom_id: tenant.roomId })
    const { lane: _generated, ...row } = await db
      .selectFrom('runs')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    const fresh = await makeRunnableTask(db, tenant.companyId)
    const trx = await db.startTransaction().execute()
    await trx
      .insertInto('runs')
      .values({
        ...row,
        id: newId('run'),
        task_id: fresh.taskId,
        task_version_id: fresh.versionId,
        share_grant_id: fresh.shareGrantId,
      })
      .execute()
    const deleted = db.deleteFrom('share_grants').where('id', '=', fresh.shareGrantId).execute()
    const [refused] = await Promise.allSettled([deleted, trx.commit().execute()])
    expect(refused).toMatchObject({ reason: { code: '23503' } })
  })
})
