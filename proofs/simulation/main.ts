import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createLog } from '../../server/base/logging.ts'
import { connect } from '../../server/db/database.ts'
import { migrate } from '../../server/db/migrate.ts'
import { startPostgres } from '../../server/postgres/postgres.ts'
import { trueRules } from './rules.ts'
import {
  type BugSearch,
  searchBugOnSql,
  searchPlantedBugs,
  seedsFrom,
  simulate,
  simulateOnSql,
} from './simulate.ts'
import { openSqlFixture, type SqlFixture } from './sql-runs.ts'
import { companies } from './world.ts'

/*
 * Runs the worker's production code (`RunWorker`, `driveRun`, transitions of runs, the meaning of exits) through random orders
 * of events from a seed: crashes, frozen processes, lost and late requests and responses, agent restarts,
 * cancels at any moment. Database and host are models of their guarantees. For one seed in `sqlShare` the table of runs is
 * Postgres with production's statements, and for one in twenty the marks are the agent's production code on files. Then each
 * rule is broken in turn, and the simulation has to find that: a simulation that finds nothing proves nothing.
 */
const usage = 'npm run simulate -- [--seeds N] [--seed FIRST]'
const shownMax = 20
const sqlShare = 500

const { values } = parseArgs({
  options: { seeds: { type: 'string', default: '10000' }, seed: { type: 'string', default: '1' } },
})
const count = wholeNumber(values.seeds)
const first = wholeNumber(values.seed)

function wholeNumber(text: string): number {
  if (/^\d{1,12}$/.test(text)) return Number(text)
  console.error(`usage: ${usage}`)
  process.exit(2)
}

/** Runs `work` on a temporary Postgres. */
async function withSqlFixture<T>(work: (fixture: SqlFixture) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-simulation-'))
  const postgres = await startPostgres({ dataDir: folder })
  try {
    const log = createLog('simulation', 'silent')
    const db = connect(postgres.url, { poolSize: 1, log, name: 'simulation' })
    await migrate(db)
    await db.destroy()
    const fixture = await openSqlFixture(postgres.url, companies)
    return await work(fixture).finally(() => fixture.db.destroy())
  } finally {
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

const violations = await simulate(seedsFrom(first, count), trueRules)
const onSql = await withSqlFixture(async (fixture) => {
  const seeds = seedsFrom(first, Math.ceil(count / sqlShare))
  return {
    found: await simulateOnSql(fixture, seeds, trueRules),
    search: await searchBugOnSql(fixture, first),
  }
})
for (const { seed, faults } of onSql.found) violations.push({ seed, faults: ['on Postgres', ...faults] })
for (const { seed, faults } of violations.slice(0, shownMax))
  console.log(`seed ${seed}: ${faults.join('; ')}`)
const searches: BugSearch[] = []
for await (const search of searchPlantedBugs(first)) {
  const { bug, found } = search
  searches.push(search)
  console.log(found ? `found: ${bug} (seed ${found.seed}: ${found.faults[0]})` : `NOT FOUND: ${bug}`)
}
const { search } = onSql
searches.push(search)
console.log(search.found ? `found: ${search.bug} (seed ${search.found.seed})` : `NOT FOUND: ${search.bug}`)
const missed = searches.filter(({ found }) => !found).length
const failed = violations.length + missed
console.log(
  JSON.stringify({
    suite: 'simulate',
    cases: count,
    failed,
    violations: violations.length,
    planted: searches.length,
    planted_found: searches.length - missed,
  }),
)
process.exitCode = failed === 0 ? 0 : 1
