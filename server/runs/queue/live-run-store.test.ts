import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { rowsRead } from '../../../testing/database/rows-read.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeRun, makeRunnableTask } from '../../../testing/factories/runs.ts'
import { makeRoom, makeTenant } from '../../../testing/factories/tenant.ts'
import { createLog } from '../../base/logging.ts'
import { changedLiveRuns, liveRunsOfCompany, liveRunsOfRoom } from '../../capacity/live-runs-statement.ts'
import { runCapacity } from '../../capacity/run-capacity.ts'
import { connect, type Database } from '../../db/database.ts'
import { finishRun } from '../drive/finish-run.ts'
import type { NextRun } from '../model/claimed-run.ts'
import { failed } from '../model/run-outcome.ts'
import { cancelRun } from './cancel-run.ts'
import { claimBatch } from './claim-batch-store.ts'
import { claimNext } from './claim-store.ts'
import { markRunning, requeue } from './claimed-run-store.ts'
import { foldLiveRuns, recountLiveRuns } from './live-run-store.ts'

const { db, url } = await createTestDatabase()
const options = {
  executor: 'w1',
  worker: 'w1',
  companyConcurrency: 10_000,
  capacity: runCapacity({ slots: 10_000 }),
}

beforeEach(async () => {
  await sql`update runs set state = 'cancelled', terminal_at = now() where terminal_at is null`.execute(db)
})

/** A company with two rooms, which has runs in every state. */
async function makeCompany() {
  const tenant = await makeTenant(db)
  const task = await makeRunnableTask(db, tenant.companyId)
  const rooms = [tenant.roomId, await makeRoom(db, tenant)] as const
  const claimed: NextRun[] = []
  for (const chatroom_id of [...rooms, ...rooms, ...rooms, ...rooms]) {
    await makeRun(db, task, { chatroom_id })
    const run = await claimNext(db, options)
    if (run) claimed.push(run)
  }
  for (const [at, run] of claimed.entries()) {
    if (at % 4 === 0) await markRunning(db, run)
    if (at === 1) await requeue(db, run)
    if (at === 2) await cancelRun(db, { id: run.id, company_id: run.companyId })
    if (at === 3) await finishRun(db, run, { outcome: failed('host_lost') })
  }
  await makeRun(db, task, { chatroom_id: rooms[0] })
  return { ...tenant, rooms, task }
}

async function counted({ companyId, rooms }: Awaited<ReturnType<typeof makeCompany>>) {
  const company = sql`${companyId}::text`
  const { rows } = await sql<{ company: number; rooms: number[] }>`
    with ${changedLiveRuns}
    select ${liveRunsOfCompany(company)} as company, array[
      ${sql.join(rooms.map((room) => liveRunsOfRoom(company, sql`${room}::text`)))}]::int[] as rooms`.execute(
    db,
  )
  return rows[0]
}

describe('the numbers of live runs', () => {
  it('are those of the runs, before and after they are folded', async () => {
    const company = await makeCompany()
    const inRooms = await Promise.all(
      company.rooms.map(async (room) => {
        const { rows } = await sql<{ runs: number }>`
          select count(*) as runs from runs where chatroom_id = ${room}
            and state in ('starting', 'running', 'cancel_requested')`.execute(db)
        return rows[0]?.runs ?? 0
      }),
    )
    const live = { company: 6, rooms: inRooms }
    expect(inRooms[0]).toBeGreaterThan(0)
    expect(inRooms[1]).toBeGreaterThan(0)
    expect(await counted(company)).toEqual(live)
    expect(await recountLiveRuns(db)).toEqual([])
    expect((await foldLiveRuns({ db })).folded).toBeGreaterThan(8)
    expect(await counted(company)).toEqual(live)
    expect(await recountLiveRuns(db)).toEqual([])
    expect(await foldLiveRuns({ db })).toEqual({ folded: 0 })
  })

  it('fold once, however many fold', async () => {
    const company = await makeCompany()
    const before = await counted(company)
    await Promise.all(Array.from({ length: 4 }, () => foldLiveRuns({ db })))
    expect(await counted(company)).toEqual(before)
    expect(await recountLiveRuns(db)).toEqual([])
  })

  it('leave no row of a room or a company once nothing is live', async () => {
    const { companyId } = await makeCompany()
    await foldLiveRuns({ db })
    await sql`update runs set state = 'cancelled', terminal_at = now() where terminal_at is null`.execute(db)
    await foldLiveRuns({ db })
    const rows = await db
      .selectFrom('live_run_counts')
      .select('runs')
      .where('company_id', '=', companyId)
      .execute()
    expect(rows).toEqual([])
  })

  it('that are off are found and corrected, of a room, a company or all', async () => {
    const { companyId } = await makeCompany()
    await foldLiveRuns({ db })
    await sql`update live_run_counts set runs = runs + 7 where company_id = ${companyId} and chatroom_id = ''`.execute(
      db,
    )
    await sql`delete from live_run_counts where company_id = ''`.execute(db)
    const drift = await recountLiveRuns(db)
    expect(drift).toEqual([
      expect.objectContaining({ company_id: '', chatroom_id: '', counted: 0, found: 6 }),
      expect.objectContaining({ company_id: companyId, chatroom_id: '', counted: 13, found: 6 }),
    ])
    expect(await recountLiveRuns(db)).toEqual([])
  })
})

it.each([
  ['a claim', (one: Database) => claimNext(one, options)],
  ['a batch of claims', async (one: Database) => (await claimBatch(one, options, 4))[0]],
])('%s reads no run at work, however many there are', async (_, claim) => {
  const { task, roomId } = await makeCompany()
  const id = await makeRun(db, task, { chatroom_id: roomId })
  await sql`
    insert into runs (id, company_id, chatroom_id, task_id, task_version_id, environment_version_id, resource_profile,
      principal_type, principal_id, auth_method, submission_source, timeout_seconds, input_digest, state, worker, executor, sandbox_id)
    select ${id} || '_' || n, company_id, chatroom_id, task_id, task_version_id, environment_version_id, resource_profile,
      principal_type, principal_id, auth_method, submission_source, timeout_seconds, input_digest, 'running', 'w1', 'w1', 'sbx_' || n
    from runs cross join generate_series(1, 2000) n where id = ${id}`.execute(db)
  await foldLiveRuns({ db })
  await sql`analyze`.execute(db)
  const one = connect(url, { poolSize: 1, log: createLog('test', 'silent'), name: 'test' })
  try {
    const before = await rowsRead(one, ['runs'])
    expect(await claim(one)).toBeDefined()
    expect((await rowsRead(one, ['runs'])) - before).toBeLessThan(100)
  } finally {
    await one.destroy()
  }
})
