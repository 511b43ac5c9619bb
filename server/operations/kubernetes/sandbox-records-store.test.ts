import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { clusterJob } from '../../../testing/kubernetes/cluster-job.ts'
import { MemoryRecords } from '../../../testing/kubernetes/memory-records.ts'
import { coreNames, histories, play } from '../../../testing/kubernetes/record-histories.ts'
import { newId } from '../../base/ids.ts'
import { dropOldRecords, StoredRecords } from './sandbox-records-store.ts'

const { db } = await createTestDatabase()
const executor = 'e'.repeat(32)
let records: StoredRecords

beforeEach(async () => {
  await sql`truncate sandbox_records`.execute(db)
  records = new StoredRecords(db, executor)
})

const by = (process: string, podUid = 'pod-1') => ({
  podUid,
  credentialHash: createHash('sha256').update(process).digest(),
  validMs: 60_000,
})

test('no order of up to five happenings both starts and forbids an id, or starts it twice', async () => {
  const memory = new MemoryRecords()
  let number = 0
  for (const history of histories(5)) {
    number += 1
    memory.rows.clear()
    await play(memory, { id: `x${number}`, history })
  }
  expect(number).toBe(9 ** 5)
})

test('the database answers as the memory does: in every order of three, and of five of the way through every state', async () => {
  const memory = new MemoryRecords()
  const all = [...histories(3), ...histories(5, coreNames)]
  const differing: unknown[] = []
  await db.transaction().execute(async (trx) => {
    const inOne = new StoredRecords(trx, executor)
    for (const [at, history] of all.entries()) {
      const id = `x${at}`
      const [stored, expected] = [await play(inOne, { id, history }), await play(memory, { id, history })]
      if (JSON.stringify(stored) !== JSON.stringify(expected)) differing.push({ history, stored, expected })
    }
  })
  expect(differing).toEqual([])
})

test('of a redemption and a forbidding at once, one is done', async () => {
  const outcomes = await Promise.all(
    Array.from({ length: 200 }, async () => {
      const id = newId('run')
      await records.place(clusterJob(id))
      const both = [
        () => records.forbid(id),
        () => records.redeem(id, by('a')),
        () => records.redeem(id, by('b')),
      ]
      const order = Math.random() < 0.5 ? both : both.toReversed()
      const answers = await Promise.all(order.map((call) => call()))
      return answers.filter((answer) => answer === true || answer === 'redeemed').length
    }),
  )
  expect(new Set(outcomes)).toEqual(new Set([1]))
})

test('a transaction that ends without a commit has redeemed nothing', async () => {
  const id = newId('run')
  await records.place(clusterJob(id))
  const killed = new Error('killed')
  const dying = db.transaction().execute(async (trx) => {
    expect(await new StoredRecords(trx, executor).redeem(id, by('a'))).toBe('redeemed')
    throw killed
  })
  await expect(dying).rejects.toBe(killed)
  expect(await records.forbid(id)).toBe(true)
  expect(await records.redeem(id, by('a'))).toBe('forbidden')
})

test.each([-12.1, 12.1])('a claim of %d hours ago is not redeemed', async (hours) => {
  const id = newId('run')
  const claimedAt = new Date(Date.now() - hours * 3_600_000).toISOString()
  await records.place({ ...clusterJob(id), claimedAt })
  expect(await records.redeem(id, by('a'))).toBe('claim_expired')
  expect(await records.forbid(id)).toBe(true)
})

test('a credential is that of one sandbox, and ends', async () => {
  const [id, other] = [newId('run'), newId('run')]
  for (const [each, process] of [
    [id, 'a'],
    [other, 'b'],
  ] as const) {
    await records.place(clusterJob(each))
    await records.redeem(each, by(process))
  }
  expect(await records.authorized(id, by('a').credentialHash)).toMatchObject({ id, state: 'redeemed' })
  expect(await records.authorized(other, by('a').credentialHash)).toBeUndefined()
  await sql`update sandbox_records set valid_until = clock_timestamp()`.execute(db)
  expect(await records.authorized(id, by('a').credentialHash)).toBeUndefined()
})

test('a list has what has not been removed, of its own executor', async () => {
  const [placed, forbidden] = [newId('run'), newId('run')]
  await records.place(clusterJob(placed))
  await records.forbid(forbidden)
  await new StoredRecords(db, 'f'.repeat(32)).place(clusterJob(newId('run')))
  expect(await records.list()).toEqual([{ id: placed, state: 'placed' }])
})

test('records are dropped after thirty days', async () => {
  const [old, young] = [newId('run'), newId('run')]
  for (const id of [old, young]) await records.forbid(id)
  await sql`update sandbox_records set made_at = now() - interval '31 days' where id = ${old}`.execute(db)
  expect(await dropOldRecords(db, 10)).toBe(1)
  expect(await records.find(young)).toMatchObject({ state: 'forbidden' })
})
