import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeRun, makeRunnableTask } from '../../../testing/factories/runs.ts'
import { makeTenant } from '../../../testing/factories/tenant.ts'
import { readOperatedNetwork } from './operated-network.ts'

const { db } = await createTestDatabase()
const clock = { now: () => new Date() }

it('shows what the runs of each company sent, received and were refused, those that sent the most first', async () => {
  const end = async (sent: number, queued_at = new Date()) => {
    const tenant = await makeTenant(db)
    const task = await makeRunnableTask(db, tenant.companyId)
    const id = await makeRun(db, task, {
      chatroom_id: tenant.roomId,
      queued_at,
      sandbox_id: 's',
      executor: 'e',
    })
    await sql`update runs set state = 'completed', exit_code = 0, started_at = now(), terminal_at = now(),
      measured_egress_bytes = ${sent}, measured_ingress_bytes = 5
      where company_id = ${tenant.companyId} and id = ${id}`.execute(db)
    return { companyId: tenant.companyId, id }
  }
  const [little, much] = [await end(10), await end(1000)]
  const long = await end(9999, new Date(Date.now() - 40 * 86_400_000))
  const refused = await end(0)
  await sql`insert into run_refusals (run_id, company_id, entries, more)
    values (${refused.id}, ${refused.companyId}, '[]', 3)`.execute(db)
  const { companies, is_cut } = await readOperatedNetwork({ db, clock })
  expect(companies).toMatchObject([
    { company_id: much.companyId, sent_bytes: 1000, received_bytes: 5, refused_runs: 0 },
    { company_id: little.companyId, sent_bytes: 10, received_bytes: 5, refused_runs: 0 },
    { company_id: refused.companyId, sent_bytes: 0, received_bytes: 5, refused_runs: 1 },
  ])
  expect(companies.map(({ company_id }) => company_id)).not.toContain(long.companyId)
  expect(is_cut).toBe(false)
})
