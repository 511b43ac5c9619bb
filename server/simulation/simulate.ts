import { AgentMarks } from './agent-marks.ts'
import type { MakeMarks } from './host-marks.ts'
import { plantedBugs, plantedInAgent } from './planted-bugs.ts'
import { type Rules, trueRules } from './rules.ts'
import { clearRuns, type SqlGround, SqlRuns } from './sql-runs.ts'
import { type MakeRuns, World } from './world.ts'

/** Worlds that live side by side, so that one turn of the event loop serves all of them. */
const atOnce = 64

export interface Found {
  seed: number
  faults: string[]
}

/** One world in so many has the agent's own marks. */
const agentShare = 20
const isWithAgent = (seed: number): boolean => seed % agentShare === 0
const agentMarks: MakeMarks = (rules, timeline, disk) => new AgentMarks(rules, timeline, disk)

/** Lives through the worlds of these seeds and answers the first faults, at most `most` worlds of them. */
export async function simulate(
  seeds: Iterator<number>,
  rules: Rules,
  { most = Number.POSITIVE_INFINITY, withAgent = isWithAgent } = {},
): Promise<Found[]> {
  const found: Found[] = []
  const liveOn = async () => {
    for (let next = seeds.next(); !next.done && found.length < most; next = seeds.next()) {
      const parts = withAgent(next.value) ? { makeMarks: agentMarks } : {}
      const faults = await new World(next.value, rules, parts).live()
      if (faults.length > 0) found.push({ seed: next.value, faults })
    }
  }
  await Promise.all(Array.from({ length: atOnce }, liveOn))
  return found
}

/** The same with the table of runs in Postgres, one world after another. */
export async function simulateOnSql(
  ground: SqlGround,
  seeds: Iterable<number>,
  rules: Rules,
  most = Number.POSITIVE_INFINITY,
): Promise<Found[]> {
  const found: Found[] = []
  for (const seed of seeds) {
    if (found.length >= most) break
    await clearRuns(ground)
    const makeRuns: MakeRuns = (ofWorld, around) => new SqlRuns(ground, ofWorld, around)
    const faults = await new World(seed, rules, { makeRuns }).live()
    if (faults.length > 0) found.push({ seed, faults })
  }
  return found
}

export function* seedsFrom(first: number, count: number): Generator<number> {
  for (let seed = first; seed < first + count; seed += 1) yield seed
}

/** Seeds at most until a planted bug has to be found. */
const seedsPerBug = 8000

export interface BugHunt {
  bug: string
  /** Undefined: the simulation would not notice that the rule is gone. */
  found: Found | undefined
}

/** Soon missed too where the table is Postgres, whose worlds take seconds. */
const bugOnSql = 'a run of another machine is found never to have started'
const seedsPerBugOnSql = 100

export async function huntOnSql(ground: SqlGround, firstSeed: number): Promise<BugHunt> {
  const rules = { ...trueRules, ...plantedBugs[bugOnSql] }
  const [found] = await simulateOnSql(ground, seedsFrom(firstSeed, seedsPerBugOnSql), rules, 1)
  return { bug: `${bugOnSql}, on Postgres`, found }
}

/** With the agent's own marks in each world. */
export async function huntInAgent(bug: string, firstSeed: number): Promise<BugHunt> {
  const rules = { ...trueRules, ...plantedInAgent[bug] }
  const [found] = await simulate(seedsFrom(firstSeed, seedsPerBug), rules, { most: 1, withAgent: () => true })
  return { bug: `${bug}, by the agent`, found }
}

/** Takes each rule away in turn and looks whether that is noticed. */
export async function* huntPlantedBugs(firstSeed: number): AsyncGenerator<BugHunt> {
  for (const [bug, change] of Object.entries(plantedBugs)) {
    const rules = { ...trueRules, ...change }
    const [found] = await simulate(seedsFrom(firstSeed, seedsPerBug), rules, { most: 1 })
    yield { bug, found }
  }
  for (const bug of Object.keys(plantedInAgent)) yield huntInAgent(bug, firstSeed)
}
