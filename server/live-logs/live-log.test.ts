import { describe, expect, it } from 'vitest'
import { createTestDatabase } from '../../testing/database/test-database.ts'
import { createLog } from '../base/logging.ts'
import { dropLiveLogs, readLiveLog, requestLiveLog, writeLiveLog } from './live-log-store.ts'
import { DatabaseLogUpdates } from './log-updates.ts'
import { wholeCharacters } from './whole-characters.ts'

const { db, url } = await createTestDatabase()
const log = Buffer.from('first\nzweite – Zeile\nlast\n')

describe('a live log on its way to its followers', () => {
  const run = { id: 'run_live', company_id: 'com_live' }

  it('can be read from a position on while it is requested', async () => {
    expect(await writeLiveLog(db, run.id, { start: 0, bytes: log })).toBe(false)
    await requestLiveLog(db, run)
    expect(await writeLiveLog(db, run.id, { start: 100, bytes: Buffer.from('0123') })).toBe(true)
    expect(await readLiveLog(db, run, 0)).toEqual({ start: 100, bytes: Buffer.from('0123') })
    expect(await readLiveLog(db, run, 102)).toEqual({ start: 102, bytes: Buffer.from('23') })
    expect(await readLiveLog(db, run, 104)).toBeUndefined()
    expect(await readLiveLog(db, { ...run, company_id: 'com_other' }, 0)).toBeUndefined()
    expect(await dropLiveLogs(db)).toEqual({ dropped: 0 })
    await db
      .updateTable('live_logs')
      .set({ wanted_until: new Date(0) })
      .execute()
    expect(await writeLiveLog(db, run.id, { start: 0, bytes: log })).toBe(false)
    expect(await dropLiveLogs(db)).toEqual({ dropped: 1 })
  })

  it('notifies its followers of new parts', async () => {
    const other = { id: 'run_other', company_id: run.company_id }
    const update = new DatabaseLogUpdates({ url, log: createLog('test', 'silent') })
    const subscriptions = [update.of(run.id), update.of(run.id), update.of(other.id)] as const
    // The first update is the start of the subscription.
    await Promise.all(subscriptions.map((subscription) => subscription.next(60_000)))
    await requestLiveLog(db, run)
    const first = Promise.race([
      subscriptions[2].next(60_000),
      subscriptions[0].next(60_000).then(() => 'own'),
    ])
    await writeLiveLog(db, run.id, { start: 0, bytes: log })
    expect(await first).toBe('own')
    // A notification before the call of `next` is not lost.
    await subscriptions[1].next(60_000)
    for (const subscription of subscriptions) subscription.close()
  })

  it.each([
    ['', 0],
    ['abc', 3],
    ['aé', 3],
    ['a€', 4],
    ['a🐴', 5],
  ])('is split only between characters: %s', (text, size) => {
    const bytes = Buffer.from(text)
    expect(wholeCharacters(bytes)).toBe(size)
    for (let cut = 2; cut < size && text !== 'abc'; cut += 1)
      expect(wholeCharacters(bytes.subarray(0, cut))).toBe(1)
  })

  it('does not wait for the rest of bytes that are not text', () => {
    expect(wholeCharacters(Buffer.from([0x80, 0x80, 0x80, 0x80]))).toBe(4)
  })
})
