import { describe, expect, it } from 'vitest'
import { createTestDatabase } from '../testing/test-database.ts'
import { dropLiveLogs, readLiveLog, wantLiveLog, writeLiveLog } from './live-log-store.ts'
import { wholeCharacters } from './whole-characters.ts'

const { db } = await createTestDatabase()
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
