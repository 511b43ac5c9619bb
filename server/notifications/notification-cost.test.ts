import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { rowsRead } from '../../testing/database/rows-read.ts'
import { createTestDatabase } from '../../testing/database/test-database.ts'
import { makeTenant } from '../../testing/factories/tenant.ts'
import { createLog } from '../base/logging.ts'
import { connect } from '../db/database.ts'
import { deleteBeyond } from './notification-store.ts'

const { db: makers, url } = await createTestDatabase()

const keep = 1000
const tooMany = 20

const insert = (companyId: string, userId: string, count: number) =>
  sql`
    insert into notifications (id, company_id, user_id, source, event, title, deep_link, subject_type, count, created_at)
    select ${userId} || '_' || n, ${companyId}, ${userId}, 'run ' || n, 'run_terminal', 'ended', '/console', 'run', 1, now()
    from generate_series(1, ${sql.lit(count)}) n
    on conflict do nothing`.execute(makers)

test('the oldest notifications of a user are found by reading each once, also by a plan for users with few', async () => {
  const { companyId, member, companyManager, roomManager } = await makeTenant(makers)
  for (const { principalId } of [member, companyManager, roomManager]) await insert(companyId, principalId, 1)
  await sql`analyze notifications`.execute(makers)
  const db = connect(url, { poolSize: 1, log: createLog('test', 'silent'), name: 'test' })
  await sql`set plan_cache_mode = force_generic_plan`.execute(db)
  const trim = () => db.transaction().execute((trx) => deleteBeyond(trx, [member.principalId], keep))
  const read = () => rowsRead(db, ['notifications'])
  await trim()
  await insert(companyId, member.principalId, keep + tooMany)
  const before = await read()
  await trim()
  expect((await read()) - before).toBeLessThan(5 * keep)
  const { rows } =
    await sql`select count(*)::int as kept from notifications where user_id = ${member.principalId}`.execute(
      db,
    )
  expect(rows).toEqual([{ kept: keep }])
  await db.destroy()
})
