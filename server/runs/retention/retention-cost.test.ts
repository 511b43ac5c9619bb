import { sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { TestApi } from '../../../testing/apps/test-api.ts'
import { rowsRead } from '../../../testing/database/rows-read.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeRun, makeRunnableTask } from '../../../testing/factories/runs.ts'
import { makeTenant } from '../../../testing/factories/tenant.ts'
import { createLog } from '../../base/logging.ts'
import { connect } from '../../db/database.ts'
import { sweepRunContent } from './run-retention.ts'

const { db, url } = await createTestDatabase()
const { storage } = new TestApi(db)
const log = createLog('test', 'silent')
const tables = ['runs', 'run_contents', 'run_inputs', 'run_artifacts', 'run_files', 'state_events']
const due = 5
/** Above what the removal of a few runs reads, far below what is there. */
const fewRows = 600

/** Runs of a new company that ended so many days ago; their content is there, or was removed. */
async function makeEnded(count: number, { daysAgo, isRemoved }: { daysAgo: number; isRemoved: boolean }) {
  const { companyId, roomId } = await makeTenant(db)
  const task = await makeRunnableTask(db, companyId)
  const id = await makeRun(db, task, { chatroom_id: roomId, state: 'cancelled', terminal_at: new Date() })
  await sql`
    with made as (
      insert into runs (id, company_id, chatroom_id, task_id, task_version_id, environment_version_id, resource_profile, principal_type,
        principal_id, auth_method, submission_source, timeout_seconds, input_digest, state, queued_at, terminal_at, content_expired_at)
      select ${id} || '_' || n, company_id, chatroom_id, task_id, task_version_id, environment_version_id, resource_profile, principal_type,
        principal_id, auth_method, submission_source, timeout_seconds, input_digest, 'cancelled', at, at, case when ${isRemoved} then now() end
      from runs cross join generate_series(1, ${sql.lit(count)}) n
      cross join (select now() - make_interval(days => ${daysAgo}::int) as at) ended
      where id = ${id} and company_id = ${companyId}
      returning id, company_id
    ), contents as (
      insert into run_contents (run_id, company_id, state)
      select id, company_id, case when ${isRemoved} then 'tombstoned' else 'active' end from made
    ), inputs as (
      insert into run_inputs (run_id, company_id, content) select id, company_id, '{}'::bytea from made where not ${isRemoved}
    )
    insert into state_events (company_id, entity, entity_id, from_state, to_state)
    select company_id, 'run', id, 'queued', 'cancelled' from made where not ${isRemoved}`.execute(db)
}

it('removes what is due without reading what is kept or has gone', async () => {
  await makeEnded(5000, { daysAgo: 5, isRemoved: false })
  await makeEnded(5000, { daysAgo: 400, isRemoved: true })
  await makeEnded(due, { daysAgo: 40, isRemoved: false })
  await sql`analyze`.execute(db)
  const one = connect(url, { poolSize: 1, log, name: 'test' })
  onTestFinished(() => one.destroy())
  const before = await rowsRead(one, tables)
  const sweep = { db: one, storage, clock: { now: () => new Date() }, log }
  expect(await sweepRunContent(sweep)).toEqual({ expired: due, failed: 0 })
  expect((await rowsRead(one, tables)) - before).toBeLessThan(fewRows)
})
