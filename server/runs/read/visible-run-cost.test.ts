import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { rowsRead } from '../../../testing/database/rows-read.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeRun, makeRunnableTask } from '../../../testing/factories/runs.ts'
import { makeTenant } from '../../../testing/factories/tenant.ts'
import { createLog } from '../../base/logging.ts'
import { connect } from '../../db/database.ts'
import { listVisibleRunRows } from './visible-run-store.ts'

const { db: makers, url } = await createTestDatabase()

const companies = 20
const runsEach = 2000
const limit = 20

/** A company whose only room has had many runs since `from`. */
async function makeBusy(from: Date): Promise<{ companyId: string; roomId: string }> {
  const { companyId, roomId } = await makeTenant(makers)
  const id = await makeRun(makers, await makeRunnableTask(makers, companyId), { chatroom_id: roomId })
  await sql`
    insert into runs (id, company_id, chatroom_id, task_id, task_version_id, environment_version_id, resource_profile,
      principal_type, principal_id, auth_method, submission_source, timeout_seconds, input_digest, queued_at)
    select ${id} || '_' || n, company_id, chatroom_id, task_id, task_version_id, environment_version_id,
      resource_profile, principal_type, principal_id, auth_method, submission_source, timeout_seconds, input_digest,
      ${from}::timestamptz + n * interval '1 millisecond'
    from runs cross join generate_series(1, ${sql.lit(runsEach)}) n where id = ${id}
  `.execute(makers)
  return { companyId, roomId }
}

test('the newest runs of a stretch of time are read without the others of the room', async () => {
  const queuedFrom = new Date(Date.now() - 3_600_000)
  const busy = []
  for (let made = 0; made < companies; made += 1) busy.push(await makeBusy(queuedFrom))
  await sql`vacuum (analyze) runs`.execute(makers)
  const [own, other] = busy
  if (!own || !other) throw new Error('no companies')
  const db = connect(url, { poolSize: 1, log: createLog('test', 'silent'), name: 'test' })
  const read = () => rowsRead(db, ['runs'])
  const before = await read()
  const filter = { companyId: own.companyId, roomIds: [own.roomId, other.roomId], queuedFrom }
  const listed = await listVisibleRunRows(db, filter, { before: undefined, limit })
  expect(listed).toHaveLength(limit)
  expect((await read()) - before).toBeLessThan(runsEach / 2)
  await db.destroy()
})
