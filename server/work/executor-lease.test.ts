import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createTestDatabase } from '../../testing/database/test-database.ts'
import { eventually } from '../../testing/eventually.ts'
import { makeExecutor } from '../../testing/factories/executors.ts'
import { createLog } from '../base/logging.ts'
import { type ExecutorLease, LeaseRefused, presenceOn, takeExecutorLease } from './executor-lease.ts'
import { isDriven } from './executor-statement.ts'
import { hasHeartbeat } from './heartbeat-statement.ts'

const { db } = await createTestDatabase()
const log = createLog('test', 'silent')
const one = { id: '1'.repeat(32), folder: '11-1' }
const other = { id: '2'.repeat(32), folder: '22-2' }
const copyOfOne = { ...one, folder: '33-3' }

const leases: ExecutorLease[] = []
const take = async (
  machine: typeof one,
  { boot = 'boot', keys = ['k'], readKeys = () => keys, store = 'bucket' } = {},
) => {
  const lease = await takeExecutorLease({
    db,
    machine,
    boot,
    place: `host:/${machine.folder}`,
    ...{ keys: readKeys, store, capacity: {} },
    log,
    renewEveryMs: 100,
  })
  leases.push(lease)
  return lease
}
const expire = (id: string) =>
  sql`update executors set lease_until = now() - interval '1 second' where id = ${id}`.execute(db)

const readLease = async () => {
  const { rows } = await sql<{ since: string; until: string; keys: string[] }>`
    select held_since::text as since, lease_until::text as until, keys from executors`.execute(db)
  return rows[0]
}

beforeEach(() => sql`truncate executors, workers`.execute(db))
afterEach(async () => {
  for (const lease of leases.splice(0)) await lease.release()
})

test('executors are driven at the same time, each by one worker', async () => {
  const [first, second] = [await take(one), await take(other)]
  await eventually(async () => {
    const { rows } = await sql<{
      worker: string
    }>`select worker from executors where ${isDriven} order by id`.execute(db)
    expect(rows.map(({ worker }) => worker)).toEqual([first.worker, second.worker])
  })
})

test.each([
  ['other keys', { keys: ['x'] }, 'It has other keys: copy its folder of keys'],
  [
    'other objects',
    { store: 'elsewhere' },
    'Its objects are in bucket, and those of this machine in elsewhere',
  ],
])('a machine with %s is refused while another one is at work, with its place', async (_name, has, why) => {
  await take(one)
  const refusal = take(other, has)
  await expect(refusal).rejects.toThrow(LeaseRefused)
  await expect(refusal).rejects.toThrow('another machine works on this database: host:/11-1')
  await expect(refusal).rejects.toThrow(why)
  await leases[0]?.release()
  await take(other, has)
})

test('a machine has some keys of the others, of which one may have made a new one', async () => {
  await take(one, { keys: ['former', 'new'] })
  await take(other, { keys: ['former'] })
})

test('a machine gets new keys and loses old ones while it works, and the others start again with the new ones', async () => {
  const keys = ['old']
  await take(one, { keys })
  keys.push('new')
  keys.shift()
  await eventually(() => take(other, { keys: ['new'] }))
  await expect(take({ id: '3'.repeat(32), folder: '44-4' }, { keys: ['old'] })).rejects.toThrow(LeaseRefused)
})

test('a machine whose keys cannot be read for a moment, or are being copied, keeps its lease and the keys that it had', async () => {
  const readKeys = vi.fn<() => string[]>(() => ['k'])
  await take(one, { readKeys })
  readKeys
    .mockImplementationOnce(() => [])
    .mockImplementationOnce(() => {
      throw new Error('EACCES')
    })
  const before = await readLease()
  const calls = readKeys.mock.calls.length
  await eventually(() => expect(readKeys.mock.calls.length).toBeGreaterThan(calls + 2))
  expect(await readLease()).toMatchObject({ keys: ['k'], since: before?.since })
})

test('a copy of its data folder is refused, also where the first does not answer any more', async () => {
  await take(one)
  await expect(take(copyOfOne)).rejects.toThrow('has the machine id of host:/11-1')
  await leases[0]?.release()
  leases.length = 0
  await sql`update executors set released = false`.execute(db)
  await expire(one.id)
  await expect(take(copyOfOne)).rejects.toThrow('it is a copy, or it was moved')
})

test('the machine that died comes back at once, and its former process learns of it', async () => {
  const dead = await take(one)
  await take(one)
  expect(await dead.lost).toContain('another worker drives this executor')
})

test('a machine that was started anew waits for no more than the lease of its last start', async () => {
  await makeExecutor(db, one.id, { folder: one.folder, boot: 'earlier boot', leftSeconds: 1 })
  await take(one)
  const { rows } = await sql<{ boot: string }>`select boot from executors`.execute(db)
  expect(rows).toEqual([{ boot: 'boot' }])
})

test('any folder may come after an orderly stop, and at once', async () => {
  const first = await take(one)
  await first.release()
  await take(copyOfOne)
})

test('a lease that ran out while the database was away is kept where nobody took it', async () => {
  await take(one)
  await expire(one.id)
  await eventually(async () => {
    const { rows } = await sql`select from executors where lease_until > now()`.execute(db)
    expect(rows).toHaveLength(1)
  })
  await expect(take(other, { keys: ['x'] })).rejects.toThrow(LeaseRefused)
})

test('a lease counts as held since it was taken, and after a gap since its next renewal', async () => {
  await take(one)
  const taken = await readLease()
  await eventually(async () => expect((await readLease())?.until).not.toBe(taken?.until))
  expect((await readLease())?.since).toBe(taken?.since)
  await expire(one.id)
  await eventually(async () => expect((await readLease())?.since).not.toBe(taken?.since))
})

test('a lease that ran out is lost where a machine with other keys is at work by then', async () => {
  const first = await take(one)
  await makeExecutor(db, other.id, { keys: ['x'] })
  await expire(one.id)
  expect(await first.lost).toContain('It has other keys')
})

test('the host agent counts as seen after another start of its machine', async () => {
  const first = await take(one)
  await first.recordAgentSeen()
  await first.release()
  expect(await presenceOn(db)).toEqual({ hasWorker: false, hostAgent: true })
  await take(one)
  expect(await presenceOn(db)).toEqual({ hasWorker: true, hostAgent: true })
})

test('the row of an executor stays when another one is driven', async () => {
  const first = await take(one)
  await first.release()
  await take(other)
  const { rows } = await sql<{
    id: string
    released: boolean
  }>`select id, released from executors order by id`.execute(db)
  expect(rows).toEqual([
    { id: one.id, released: true },
    { id: other.id, released: false },
  ])
})

test('a worker has a heartbeat while it drives the executor, and its next worker ends it', async () => {
  const workers = async () => {
    const { rows } = await sql<{ id: string; beats: boolean }>`
      select id, ${hasHeartbeat(sql`workers.id`)} as beats from workers`.execute(db)
    return rows
  }
  const dead = await take(one)
  await sql`update workers set beat_at = now() - interval '1 minute'`.execute(db)
  await eventually(async () => expect(await workers()).toEqual([{ id: dead.worker, beats: true }]))
  const next = await take(one)
  await dead.lost
  expect(await workers()).toEqual([{ id: next.worker, beats: true }])
  await next.release()
  expect(await workers()).toEqual([])
})
