import { afterAll, expect, test } from 'vitest'
import { createTestDatabase } from '../testing/test-database.ts'
import { trueRules } from './rules.ts'
import { huntOnSql, seedsFrom, simulateOnSql } from './simulate.ts'
import { openSqlGround } from './sql-runs.ts'
import { companies } from './world.ts'

const { url } = await createTestDatabase()
const ground = await openSqlGround(url, companies)
afterAll(() => ground.db.destroy())

test('no order of events breaks a promise where the table of runs is Postgres', async () => {
  expect(await simulateOnSql(ground, seedsFrom(1, 4), trueRules)).toEqual([])
}, 120_000)

test('it is noticed on Postgres when another machine says that a run never started', async () => {
  expect((await huntOnSql(ground, 1)).found).toBeDefined()
}, 120_000)
