import { AgentMarks } from './agent-marks.ts'
import type { MakeMarks } from './host-marks.ts'
import { plantedBugs, plantedInAgent } from './planted-bugs.ts'
import { type Rules, trueRules } from './rules.ts'
import { clearRuns, type SqlFixture, SqlRuns } from './sql-runs.ts'
import { type MakeRuns, World } from './world.ts'

/** Worlds that run concurrently, so that one turn of the event loop serves all of them. */
const concurrentWorlds = 64

export interface Found {
  seed: number
  faults: string[]
}

/** One world in this many uses the agent's code for marks. */
const agentShare = 20
const isWithAgent = (seed: number): boolean => seed % agentShare === 0
const agentMarks: MakeMarks = (rules, timeline, disk) => new AgentMarks(rules, timeline, disk)

/** Runs the worlds of these seeds and returns the faults, of at most `most` worlds. */
export async function simulate(
  seeds: Iterator<number>,
  rules: Rules,
  { most = Number.POSITIVE_INFINITY, withAgent = isWithAgent } = {},
): Promise<Found[]> {
  const found: Found[] = []
  const runWorlds = async () => {
    for (let next = seeds.next(); !next.done && found.length < most; next = seeds.next()) {
      const parts = withAgent(next.value) ? { makeMarks: agentMarks } : {}
      const faults = await new World(next.value, rules, parts).run()
      if (faults.length > 0) found.push({ seed: next.value, faults })
    }
  }
  await Promise.all(Array.from({ length: concurrentWorlds }, runWorlds))
  return found
}

/** The same with the table of runs in Postgres, one world after another. */
export async function simulateOnSql(
  fixture: SqlFixture,
  seeds: Iterable<number>,
  rules: Rules,
  most = Number.POSITIVE_INFINITY,
): Promise<Found[]> {
  const found: Found[] = []
  for (const seed of seeds) {
    if (found.length >= most) break
    await clearRuns(fixture)
    const makeRuns: MakeRuns = (ofWorld, environment) => new SqlRuns(fixture, ofWorld, environment)
    const faults = await new World(seed, rules, { makeRuns }).run()
    if (faults.length > 0) found.push({ seed, faults })
  }
  return found
}

export function* seedsFrom(first: number, count: number): Generator<number> {
  for (let seed = first; seed < first + count; seed += 1) yield seed
}

/** Maximum number of seeds to find a planted bug. */
const seedsPerBug = 8000

export interface BugSearch {
  bug: string
  /** Undefined: the simulation did not find the bug. */
  found: Found | undefined
}

/** A bug that is found quickly on Postgres, where a world takes seconds. */
const bugOnSql = 'a run of another executor is declared never started'
const seedsPerBugOnSql = 100

export async function searchBugOnSql(fixture: SqlFixture, firstSeed: number): Promise<BugSearch> {
  const rules = { ...trueRules, ...plantedBugs[bugOnSql] }
  const [found] = await simulateOnSql(fixture, seedsFrom(firstSeed, seedsPerBugOnSql), rules, 1)
  return { bug: `${bugOnSql}, on Postgres`, found }
}

/** Searches a planted bug of the agent's marks. */
export async function searchBugInAgent(bug: string, firstSeed: number): Promise<BugSearch> {
  const rules = { ...trueRules, ...plantedInAgent[bug] }
  const [found] = await simulate(seedsFrom(firstSeed, seedsPerBug), rules, { most: 1, withAgent: () => true })
  return { bug: `${bug}, by the agent`, found }
}

/** Plants each bug in turn and searches for it. */
export async function* searchPlantedBugs(firstSeed: number): AsyncGenerator<BugSearch> {
  for (const [bug, change] of Object.entries(plantedBugs)) {
    const rules = { ...trueRules, ...change }
    const [found] = await simulate(seedsFrom(firstSeed, seedsPerBug), rules, { most: 1 })
    yield { bug, found }
  }
  for (const bug of Object.keys(plantedInAgent)) yield searchBugInAgent(bug, firstSeed)
}
