import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { createTestDatabase } from '../../testing/database/test-database.ts'
import { trueRules } from './rules.ts'
import { searchBugOnSql, seedsFrom, simulateOnSql } from './simulate.ts'
import { openSqlFixture } from './sql-runs.ts'
import { companies, hasBatches } from './world.ts'

const { url } = await createTestDatabase()
const fixture = await openSqlFixture(url, companies)
afterAll(() => fixture.db.destroy())

test('no order of events breaks a guarantee with the table of runs in Postgres', async () => {
  expect(await simulateOnSql(fixture, seedsFrom(1, 4), trueRules)).toEqual([])
})

test('no order of events breaks a guarantee where runs of Postgres are claimed in batches', async () => {
  const seeds = [...seedsFrom(1, 20)].filter(hasBatches)
  expect(seeds.length).toBeGreaterThan(2)
  expect(await simulateOnSql(fixture, seeds, trueRules)).toEqual([])
})

test('the simulation finds on Postgres an executor that declares a run of another one never started', async () => {
  expect((await searchBugOnSql(fixture, 1)).found).toBeDefined()
})

test('the simulation finds on Postgres a database that settles no charges', async () => {
  await sql`alter table runs disable trigger settle_ended_run`.execute(fixture.db)
  const [found] = await simulateOnSql(fixture, seedsFrom(1, 4), trueRules, 1)
  await sql`alter table runs enable trigger settle_ended_run`.execute(fixture.db)
  expect(found?.faults).toContainEqual(expect.stringContaining('its charge is not settled'))
})

test('the simulation finds on Postgres a number of live runs that is off', async () => {
  await sql`alter table runs disable trigger count_live_run`.execute(fixture.db)
  const [found] = await simulateOnSql(fixture, seedsFrom(1, 4), trueRules, 1)
  await sql`alter table runs enable trigger count_live_run`.execute(fixture.db)
  expect(found?.faults).toContainEqual(expect.stringContaining('0 live runs are counted of'))
})
