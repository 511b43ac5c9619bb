import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../../testing/database/test-database.ts'
import { eventually } from '../../testing/eventually.ts'
import { makeExecutor } from '../../testing/factories/executors.ts'
import { makeRun, makeRunnableTask } from '../../testing/factories/runs.ts'
import { makeTenant } from '../../testing/factories/tenant.ts'
import { createLog } from '../base/logging.ts'
import { takeOver } from '../runs/queue/claim-store.ts'
import { takeExecutorLease } from './executor-lease.ts'
import { removeExecutor, setDraining } from './executor-store.ts'

const { db } = await createTestDatabase()
const machine = { id: '1'.repeat(32), folder: '11-1' }
const take = () =>
  takeExecutorLease({
    ...{ db, machine, boot: 'boot', place: 'host:/x', keys: () => ['k'], store: 'bucket', capacity: {} },
    log: createLog('test', 'silent'),
    renewEveryMs: 200,
  })

test('an executor drains until it is resumed, also after a restart of its worker', async () => {
  expect(await setDraining(db, machine.id, true)).toBe(false)
  const first = await take()
  expect(first.isDraining()).toBe(false)
  expect(await setDraining(db, machine.id, true)).toBe(true)
  await eventually(() => expect(first.isDraining()).toBe(true))
  await first.release()
  const again = await take()
  expect(again.isDraining()).toBe(true)
  await setDraining(db, machine.id, false)
  await eventually(() => expect(again.isDraining()).toBe(false))
  await again.release()
})

test('an executor that is removed leaves its runs to others, and one that is driven is not removed', async () => {
  const lease = await take()
  const { companyId, roomId } = await makeTenant(db)
  const held = { state: 'running', executor: machine.id, worker: lease.worker, sandbox_id: 's' } as const
  const task = await makeRunnableTask(db, companyId)
  const lease_until = new Date(Date.now() + 3_600_000)
  const id = await makeRun(db, task, { chatroom_id: roomId, ...held, lease_until })
  expect(await removeExecutor(db, machine.id)).toBe('driven')
  // Its lease ends, and it does not know.
  await sql`update executors set released = true`.execute(db)
  expect(await removeExecutor(db, machine.id)).toBe('removed')
  expect(await removeExecutor(db, machine.id)).toBe('unknown')
  expect(await lease.lost).toContain('the operator has removed this executor')
  const other = { executor: '2'.repeat(32), worker: 'w2' }
  await makeExecutor(db, other.executor, other)
  expect(await takeOver(db, other, 'expired')).toMatchObject([{ id, claimedHere: false }])
  const { rows } = await sql`select from workers`.execute(db)
  expect(rows).toEqual([])
})
