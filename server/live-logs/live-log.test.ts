import { describe, expect, it } from 'vitest'
import { createLog } from '../base/logging.ts'
import { createTestDatabase } from '../testing/test-database.ts'
import { dropLiveLogs, readLiveLog, wantLiveLog, writeLiveLog } from './live-log-store.ts'
import { LogNews } from './log-news.ts'
import { wholeCharacters } from './whole-characters.ts'

const { db, url } = await createTestDatabase()
const log = Buffer.from('first\nzweite – Zeile\nlast\n')

describe('a log on its way to who follows it', () => {
  const run = { id: 'run_live', company_id: 'com_live' }

  it('is there from a position on while somebody wants it', async () => {
    expect(await writeLiveLog(db, run.id, { start: 0, bytes: log })).toBe(false)
    await wantLiveLog(db, run)
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

  it('is told to who follows it when there is something new', async () => {
    const other = { id: 'run_other', company_id: run.company_id }
    const news = new LogNews({ url, log: createLog('test', 'silent') })
    const ears = [news.of(run.id), news.of(run.id), news.of(other.id)] as const
    // The first news is that it is heard from now on.
    await Promise.all(ears.map((ear) => ear.next(60_000)))
    await wantLiveLog(db, run)
    const told = Promise.race([ears[2].next(60_000), ears[0].next(60_000).then(() => 'own')])
    await writeLiveLog(db, run.id, { start: 0, bytes: log })
    expect(await told).toBe('own')
    // What was told before it is asked for is not lost.
    await ears[1].next(60_000)
    for (const ear of ears) ear.close()
  })

  it.each([
    ['', 0],
    ['abc', 3],
    ['aé', 3],
    ['a€', 4],
    ['a🐴', 5],
  ])('is cut only between characters: %s', (text, size) => {
    const bytes = Buffer.from(text)
    expect(wholeCharacters(bytes)).toBe(size)
    for (let cut = 2; cut < size && text !== 'abc'; cut += 1)
      expect(wholeCharacters(bytes.subarray(0, cut))).toBe(1)
  })

  it('does not wait for the end of what is no text', () => {
    expect(wholeCharacters(Buffer.from([0x80, 0x80, 0x80, 0x80]))).toBe(4)
  })
})
