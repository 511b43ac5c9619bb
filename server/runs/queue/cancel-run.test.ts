import { expect, it } from 'vitest'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeRun, makeRunnableTask } from '../../../testing/factories/runs.ts'
import { makeTenant } from '../../../testing/factories/tenant.ts'
import { cancelQueuedRunsOfTask } from './cancel-run.ts'

const { db } = await createTestDatabase()

it('cancels the queued runs of one task and leaves every other run as it is', async () => {
  const tenant = await makeTenant(db)
  const [archived, other] = [
    await makeRunnableTask(db, tenant.companyId),
    await makeRunnableTask(db, tenant.companyId),
  ]
  const room = { chatroom_id: tenant.roomId }
  const running = { ...room, state: 'running', worker: 'w', sandbox_id: 's' }
  const ids = [
    await makeRun(db, archived, room),
    await makeRun(db, archived, room),
    await makeRun(db, archived, running),
    await makeRun(db, other, room),
  ]
  await db.transaction().execute((trx) => cancelQueuedRunsOfTask(trx, tenant.companyId, archived.taskId))
  const rows = await db
    .selectFrom('runs')
    .select(['state', 'error_code'])
    .where('id', 'in', ids)
    .orderBy('id')
    .execute()
  expect(rows.map((row) => row.state)).toEqual(['cancelled', 'cancelled', 'running', 'queued'])
  expect(rows[0]?.error_code).toBe('cancelled')
})
