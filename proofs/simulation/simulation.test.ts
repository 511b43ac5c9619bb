import { expect, test } from 'vitest'
import { plantedBugs } from './planted-bugs.ts'
import { trueRules } from './rules.ts'
import { searchBugInAgent, seedsFrom, simulate } from './simulate.ts'

test('no order of events breaks a guarantee', async () => {
  expect(await simulate(seedsFrom(1, 500), trueRules)).toEqual([])
})

test('no order of events breaks a guarantee with the agent’s code for marks', async () => {
  expect(await simulate(seedsFrom(200, 60), trueRules, { withAgent: () => true })).toEqual([])
})

test('the simulation finds an agent that accepts a start with an old claim', async () => {
  expect((await searchBugInAgent('a start is accepted with a claim of any age', 1)).found).toBeDefined()
})

/** The others take a minute: `npm run simulate`. */
const soonFound = [
  'an end is written from any state',
  'a claim takes a run that is starting',
  'a claim whose response was lost is never found',
  'a take-over skips runs that are starting',
  'a worker takes over a run of another executor',
  'a worker takes over runs of live executors after an outage of the database',
  'a worker takes over runs before others had time to come back from an outage',
  'a worker whose heartbeat ended finishes a run that another one has',
  'a cancel wins over a program that ended by itself',
  'results of a sandbox are removed with its end',
  'marks of sandboxes are dropped too early',
  'a run of another executor is declared never started',
  'a claim serves the oldest run without fairness',
  'a batch does not count what it takes itself',
  'a batch counts the runs of its own executor alone',
  'a run that is queued again stays in the number of live runs',
  'a run with a requested cancel leaves the number of live runs twice',
  'stored bytes are counted after the end of a run',
  'a run that is cancelled in the queue keeps its hold',
  'a charge is settled after the end of its run',
  'the run of a row event is queued before its event is recorded',
  'the run of a row event is queued after its event is recorded',
  'an event that has a run is started again',
]
test.each(soonFound)('the simulation finds: %s', async (bug) => {
  const planted = plantedBugs[bug]
  expect(planted).toBeDefined()
  expect(await simulate(seedsFrom(1, 500), { ...trueRules, ...planted }, { most: 1 })).not.toEqual([])
})
