import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createLog } from '../base/logging.ts'
import { connect } from '../db/database.ts'
import { migrate } from '../db/migrate.ts'
import { startPostgres } from '../postgres/postgres.ts'
import { trueRules } from './rules.ts'
import { type BugHunt, huntOnSql, huntPlantedBugs, seedsFrom, simulate, simulateOnSql } from './simulate.ts'
import { openSqlGround, type SqlGround } from './sql-runs.ts'
import { companies } from './world.ts'

/*
 * The worker's own code (`RunWorker`, `driveRun`, the moves of a run, what an exit means) through every order of events
 * that a seed draws: crashes, frozen processes, requests and answers that get lost or come late, agents that restart,
 * cancels at any moment. Database and host are models of what they promise; for one seed in `sqlShare` the table of runs is
 * Postgres, behind production's own statements, and for one in twenty a host's marks are the agent's own, on files. Then every rule is taken away in turn, which has to be noticed: a simulation
 * that finds nothing proves nothing.
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

/** On a Postgres of its own, which is gone afterwards. */
async function onSqlGround<T>(work: (ground: SqlGround) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-simulation-'))
  const postgres = await startPostgres({ dataDir: folder })
  try {
    const log = createLog('simulation', 'silent')
    const db = connect(postgres.url, { poolSize: 1, log, name: 'simulation' })
    await migrate(db)
    await db.destroy()
    const ground = await openSqlGround(postgres.url, companies)
    return await work(ground).finally(() => ground.db.destroy())
  } finally {
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

const violations = await simulate(seedsFrom(first, count), trueRules)
const onSql = await onSqlGround(async (ground) => {
  const seeds = seedsFrom(first, Math.ceil(count / sqlShare))
  return { found: await simulateOnSql(ground, seeds, trueRules), hunt: await huntOnSql(ground, first) }
})
for (const { seed, faults } of onSql.found) violations.push({ seed, faults: ['on Postgres', ...faults] })
for (const { seed, faults } of violations.slice(0, shownMax))
  console.log(`seed ${seed}: ${faults.join('; ')}`)
const hunts: BugHunt[] = []
for await (const hunt of huntPlantedBugs(first)) {
  const { bug, found } = hunt
  hunts.push(hunt)
  console.log(found ? `found: ${bug} (seed ${found.seed}: ${found.faults[0]})` : `NOT FOUND: ${bug}`)
}
const { hunt } = onSql
hunts.push(hunt)
console.log(hunt.found ? `found: ${hunt.bug} (seed ${hunt.found.seed})` : `NOT FOUND: ${hunt.bug}`)
const missed = hunts.filter(({ found }) => !found).length
const failed = violations.length + missed
console.log(
  JSON.stringify({
    suite: 'simulate',
    cases: count,
    failed,
    violations: violations.length,
    planted: hunts.length,
    planted_found: hunts.length - missed,
  }),
)
process.exitCode = failed === 0 ? 0 : 1
