import type { DatabaseConnection } from 'kysely'
import { expect, it, vi } from 'vitest'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeRun, makeRunnableTask } from '../../../testing/factories/runs.ts'
import { makeTenant } from '../../../testing/factories/tenant.ts'
import { setOperatorPolicy } from '../settings/operator-policy.ts'
import { readKeptBytes } from './storage-quota.ts'
import { reserveStorage } from './storage-reservation-store.ts'

const { db } = await createTestDatabase()
const mib = 1024 ** 2

/** A company that may store some MiB more, and runs of it at work. */
async function makeCompany(leftMib: number, count: number) {
  const { companyId, roomId } = await makeTenant(db)
  const task = await makeRunnableTask(db, companyId)
  const runs = []
  for (let made = 0; made < count; made += 1) {
    const held = { state: 'running', worker: 'w', sandbox_id: 's', fence: 1 } as const
    runs.push({ id: await makeRun(db, task, { chatroom_id: roomId, ...held }), companyId, fence: 1 })
  }
  const { kept_bytes: kept } = await readKeptBytes(db, companyId)
  await setOperatorPolicy({ db, deployment: 'onprem' }, companyId, { kept_bytes_limit: kept + leftMib * mib })
  return runs
}

it('gives runs that end together no more room than there is, and again what an ended run had', async () => {
  const [first, ...others] = await makeCompany(10, 5)
  if (!first) throw new Error('no run')
  const all = [first, ...others]
  const taken = await Promise.all(all.map((run) => reserveStorage(db, run, 4 * mib)))
  expect(taken.filter(Boolean)).toHaveLength(2)
  const holder = all[taken.indexOf(true)] ?? first
  const waiting = all[taken.indexOf(false)] ?? first
  expect(await reserveStorage(db, waiting, 4 * mib)).toBe(false)
  await db
    .updateTable('runs')
    .set({ state: 'cancelled', terminal_at: new Date() })
    .where('id', '=', holder.id)
    .execute()
  expect(await reserveStorage(db, waiting, 4 * mib)).toBe(true)
})

it('counts the reservation of a run that was claimed again once', async () => {
  const [run, other] = await makeCompany(10, 2)
  if (!run || !other) throw new Error('no run')
  for (let times = 0; times < 2; times += 1) expect(await reserveStorage(db, run, 6 * mib)).toBe(true)
  await db.updateTable('runs').set({ fence: 2 }).where('id', '=', run.id).execute()
  expect(await reserveStorage(db, { ...run, fence: 2 }, 6 * mib)).toBe(true)
  // The earlier holder changes nothing.
  expect(await reserveStorage(db, run, 2 * mib)).toBe(true)
  expect(await reserveStorage(db, other, 5 * mib)).toBe(false)
  expect(await reserveStorage(db, other, 4 * mib)).toBe(true)
})

it('lets small results pass, and all results of a company without a bound', async () => {
  const [run, other] = await makeCompany(1, 2)
  if (!run || !other) throw new Error('no run')
  expect(await reserveStorage(db, run, 64 * 1024)).toBe(true)
  expect(await reserveStorage(db, other, 2 * mib)).toBe(false)
  await db
    .updateTable('company_settings')
    .set({ kept_bytes_limit: null })
    .where('company_id', '=', run.companyId)
    .execute()
  expect(await reserveStorage(db, other, 1e12)).toBe(true)
})

/** Counts round trips: statements that are sent when no answer is outstanding. */
function countTrips(): { trips: () => number } {
  const executor = db.getExecutor()
  const provide = executor.provideConnection.bind(executor)
  let outstanding = 0
  let trips = 0
  const counted = (connection: DatabaseConnection): DatabaseConnection => ({
    streamQuery: (...of) => connection.streamQuery(...of),
    executeQuery: (query) => {
      if (outstanding === 0) trips += 1
      outstanding += 1
      return connection.executeQuery<never>(query).finally(() => {
        outstanding -= 1
      })
    },
  })
  vi.spyOn(executor, 'provideConnection').mockImplementation((work) =>
    provide((connection) => work(counted(connection))),
  )
  return { trips: () => trips }
}

it('takes two round trips', async () => {
  const [run] = await makeCompany(10, 1)
  if (!run) throw new Error('no run')
  const { trips } = countTrips()
  expect(await reserveStorage(db, run, 4 * mib)).toBe(true)
  vi.restoreAllMocks()
  expect(trips()).toBe(2)
})
