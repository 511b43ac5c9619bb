import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { createTestDatabase } from '../../testing/database/test-database.ts'
import { removeEach } from './removal.ts'

const { db } = await createTestDatabase()

test('a store that hangs ends a round, which postpones what failed and leaves the rest to the next one', async () => {
  let elapsedMs = 0
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => elapsedMs)
  const tried: string[] = []
  const reported: string[] = []
  const counts = await removeEach(['there', 'hangs', 'later'], {
    db,
    now: new Date(),
    idOf: (thing) => thing,
    remove: async (thing) => {
      tried.push(thing)
      if (thing === 'there') return
      elapsedMs += 30_000
      throw new Error('no answer')
    },
    onFailure: (thing) => reported.push(thing),
  })
  clock.mockRestore()
  expect(counts).toEqual({ removed: 1, failed: 1 })
  expect([tried, reported]).toEqual([['there', 'hangs'], ['hangs']])
  const { rows } = await sql`select thing from removal_failures`.execute(db)
  expect(rows).toEqual([{ thing: 'hangs' }])
})
