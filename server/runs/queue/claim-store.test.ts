import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeExecutor } from '../../../testing/factories/executors.ts'
import {
  cancelLiveRuns,
  makeQueueingCompany,
  type QueueingCompany,
  queueRun,
} from '../../../testing/factories/queued-runs.ts'
import { makeRoom } from '../../../testing/factories/tenant.ts'
import { runCapacity } from '../../capacity/run-capacity.ts'
import { type Driver, heartbeatSeconds } from '../../work/heartbeat-statement.ts'
import { startHeartbeat } from '../../work/heartbeat-store.ts'
import { finishRun } from '../drive/finish-run.ts'
import { failed } from '../model/run-outcome.ts'
import { cancelRun } from './cancel-run.ts'
import { claimNext, takeOver } from './claim-store.ts'

const { db } = await createTestDatabase()
const capacity = runCapacity({ slots: 64, reserved: 0 })
const one = { executor: '1'.repeat(32), worker: 'w1' }
const other = { executor: '2'.repeat(32), worker: 'w2' }
const options = { ...one, companyConcurrency: 50, capacity }

const makeCompany = () => makeQueueingCompany(db)

const queue = (company: QueueingCompany, roomId = company.roomId) =>
  queueRun(db, company, { chatroom_id: roomId })

const claimedIds = async (count: number, concurrency = 50) => {
  const ids: (string | undefined)[] = []
  for (let index = 0; index < count; index += 1) {
    ids.push((await claimNext(db, { ...options, companyConcurrency: concurrency }))?.id)
  }
  return ids
}

beforeEach(() => cancelLiveRuns(db))

describe('claiming a run', () => {
  it('takes it into one pair of hands, with a fence and a lease', async () => {
    const company = await makeCompany()
    const id = await queue(company)
    const claimed = await claimNext(db, options)
    expect(claimed).toEqual({
      id,
      companyId: company.companyId,
      state: 'starting',
      fence: 1,
      sandboxId: `${id}_1`,
      waitedMs: expect.any(Number),
      isCompanyBusy: false,
      isLast: true,
    })
    expect(claimed?.waitedMs).toBeGreaterThan(0)
    const row = await db.selectFrom('runs').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
    expect(row).toMatchObject({ state: 'starting', ...one, sandbox_id: `${id}_1` })
    expect(row.lease_until?.getTime()).toBeGreaterThan(Date.now() + 60_000)
    expect(await claimNext(db, options)).toBeUndefined()
  })

  it('reports whether anything else is queued, of any company', async () => {
    await queue(await makeCompany())
    await queue(await makeCompany())
    expect(await claimNext(db, options)).toMatchObject({ isLast: false })
    expect(await claimNext(db, options)).toMatchObject({ isLast: true })
  })

  it('serves the oldest of a room first', async () => {
    const company = await makeCompany()
    const ids = [await queue(company), await queue(company), await queue(company)]
    expect(await claimedIds(4)).toEqual([...ids, undefined])
  })

  it('serves companies in turn, however many runs one of them queued before', async () => {
    const [many, few] = [await makeCompany(), await makeCompany()]
    const first = [await queue(many), await queue(many), await queue(many), await queue(many)]
    const second = [await queue(few), await queue(few)]
    expect(await claimedIds(6)).toEqual([first[0], second[0], first[1], second[1], first[2], first[3]])
  })

  it('serves companies in turn where only one run fits at a time', async () => {
    const [many, few] = [await makeCompany(), await makeCompany()]
    const first = [await queue(many), await queue(many), await queue(many)]
    const second = [await queue(few), await queue(few)]
    const served: string[] = []
    for (let turn = 0; turn < 4; turn += 1) {
      const run = await claimNext(db, options)
      if (!run) throw new Error('nothing to claim')
      served.push(run.id)
      await finishRun(db, run, { outcome: failed('platform_internal') })
    }
    expect(served).toEqual([first[0], second[0], first[1], second[1]])
  })

  it('serves the rooms of a company in turn', async () => {
    const company = await makeCompany()
    const quiet = await makeRoom(db, company)
    const busy = [await queue(company), await queue(company), await queue(company)]
    const single = await queue(company, quiet)
    expect(await claimedIds(4)).toEqual([busy[0], single, busy[1], busy[2]])
  })

  it('stops at the concurrency of a company, and goes on with others', async () => {
    const [full, other] = [await makeCompany(), await makeCompany()]
    const runs = [await queue(full), await queue(full), await queue(full)]
    expect(await claimedIds(3, 2)).toEqual([runs[0], runs[1], undefined])
    const next = await queue(other)
    expect(await claimedIds(2, 2)).toEqual([next, undefined])
  })

  it('gives each run to one of many workers', async () => {
    const company = await makeCompany()
    for (let count = 0; count < 12; count += 1) await queue(company)
    const taken: string[] = []
    const work = async (worker: string) => {
      for (let misses = 0; misses < 3; ) {
        const run = await claimNext(db, { ...options, worker })
        if (run) taken.push(run.id)
        else misses += 1
      }
    }
    await Promise.all(['a', 'b', 'c', 'd', 'e'].map(work))
    expect(taken).toHaveLength(12)
    expect(new Set(taken).size).toBe(12)
  })

  it('never takes a run that was cancelled', async () => {
    const company = await makeCompany()
    const id = await queue(company)
    await cancelRun(db, { id, company_id: company.companyId })
    expect(await claimNext(db, options)).toBeUndefined()
  })
})

describe('taking over', () => {
  /** The process that drives the executor from then on. */
  const drive = async (driver: Driver) => {
    await makeExecutor(db, driver.executor, driver)
    await startHeartbeat(db, driver)
  }
  const endLease = ({ executor }: Driver, secondsAgo: number) =>
    sql`update executors set lease_until = now() - make_interval(secs => ${secondsAgo}) where id = ${executor}`.execute(
      db,
    )
  const pastLease = (id: string) =>
    db
      .updateTable('runs')
      .set({ lease_until: new Date(0) })
      .where('id', '=', id)
      .execute()

  beforeEach(async () => {
    await sql`truncate executors, workers`.execute(db)
    await drive(one)
  })

  it('raises the fence, so that the earlier holder can write nothing', async () => {
    await queue(await makeCompany())
    const first = await claimNext(db, options)
    if (!first) throw new Error('nothing to claim')
    const [again] = await takeOver(db, one, 'own')
    expect(again).toEqual({
      ...first,
      ...{ fence: 2, claimedHere: true, isLast: undefined, waitedMs: undefined, isCompanyBusy: undefined },
    })
    expect(await takeOver(db, one, 'own', [first.id])).toEqual([])
    expect(await finishRun(db, first, { outcome: failed('host_lost') })).toBe(false)
    expect(await finishRun(db, again ?? first, { outcome: failed('host_lost') })).toBe(true)
  })

  it('takes the runs of a worker of the executor when its heartbeat has ended', async () => {
    const id = await queue(await makeCompany())
    await claimNext(db, options)
    const next = { ...one, worker: 'w3' }
    expect(await takeOver(db, next, 'own')).toEqual([])
    await sql`update workers set beat_at = now() - interval '21 seconds'`.execute(db)
    expect(await takeOver(db, next, 'own')).toMatchObject([{ id, fence: 2, claimedHere: true }])
  })

  it('takes them at once when it drives the executor instead', async () => {
    const id = await queue(await makeCompany())
    await claimNext(db, options)
    const next = { ...one, worker: 'w3' }
    await drive(next)
    expect(await takeOver(db, next, 'own')).toMatchObject([{ id, claimedHere: true }])
  })

  it('takes a run of another executor when its lease has expired and nobody drives the executor', async () => {
    const id = await queue(await makeCompany())
    await claimNext(db, options)
    await drive(other)
    await endLease(one, heartbeatSeconds + 1)
    expect(await takeOver(db, other, 'own')).toEqual([])
    expect(await takeOver(db, other, 'expired')).toEqual([])
    await pastLease(id)
    expect(await takeOver(db, one, 'expired')).toEqual([])
    expect(await takeOver(db, other, 'expired')).toMatchObject([{ id, fence: 2, claimedHere: false }])
  })

  const mayBeLive: [string, () => unknown][] = [
    ['is driven', () => undefined],
    ['has just missed its renewal', () => endLease(one, heartbeatSeconds - 5)],
    [
      'had no time to renew its lease since the database was away',
      async () => {
        await endLease(one, heartbeatSeconds + 1)
        await makeExecutor(db, other.executor, { ...other, heldSeconds: 2 * heartbeatSeconds })
      },
    ],
    [
      'is lost, for a worker that has lost its own lease',
      async () => {
        await endLease(one, heartbeatSeconds + 1)
        await endLease(other, 1)
      },
    ],
  ]
  it.each(mayBeLive)('takes no run with an expired lease of an executor that %s', async (_name, arrange) => {
    const id = await queue(await makeCompany())
    await claimNext(db, options)
    await pastLease(id)
    await drive(other)
    await arrange()
    expect(await takeOver(db, other, 'expired')).toEqual([])
  })

  it('takes a run of an executor that was released', async () => {
    const id = await queue(await makeCompany())
    await claimNext(db, options)
    await pastLease(id)
    await drive(other)
    await sql`update executors set released = true where id = ${one.executor}`.execute(db)
    expect(await takeOver(db, other, 'expired')).toMatchObject([{ id, claimedHere: false }])
  })

  it('keeps the executor for which the run was claimed, however often it is taken over', async () => {
    const id = await queue(await makeCompany())
    await claimNext(db, options)
    await pastLease(id)
    await drive(other)
    await endLease(one, heartbeatSeconds + 1)
    expect(await takeOver(db, other, 'expired')).toMatchObject([{ id, claimedHere: false }])
    expect(await takeOver(db, other, 'own')).toMatchObject([{ id, claimedHere: false }])
    await pastLease(id)
    expect(await takeOver(db, { ...other, worker: 'w3' }, 'expired')).toMatchObject([
      { id, claimedHere: false },
    ])
  })
})

describe('cancelling', () => {
  it('ends a queued run at once and asks for the end of one that is held', async () => {
    const company = await makeCompany()
    const held = await queue(company)
    await claimNext(db, options)
    const waiting = await queue(company)
    for (const id of [held, waiting, held, waiting])
      await cancelRun(db, { id, company_id: company.companyId })
    const rows = await db
      .selectFrom('runs')
      .selectAll()
      .where('id', 'in', [held, waiting])
      .orderBy('id')
      .execute()
    expect(rows).toMatchObject([
      { id: held, state: 'cancel_requested', terminal_at: null },
      { id: waiting, state: 'cancelled', error_code: 'cancelled', failure_stage: 'cancel', exit_code: null },
    ])
    const events = await db.selectFrom('state_events').selectAll().where('entity_id', '=', held).execute()
    expect(events.map((event) => event.to_state)).toEqual(['starting', 'cancel_requested'])
  })
})
