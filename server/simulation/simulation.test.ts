import { expect, test } from 'vitest'
import { plantedBugs } from './planted-bugs.ts'
import { trueRules } from './rules.ts'
import { huntInAgent, seedsFrom, simulate } from './simulate.ts'

test('no order of events breaks a promise', async () => {
  expect(await simulate(seedsFrom(1, 500), trueRules)).toEqual([])
})

test('no order of events breaks a promise with the marks of the agent itself', async () => {
  expect(await simulate(seedsFrom(200, 60), trueRules, { withAgent: () => true })).toEqual([])
})

test('it is noticed when the agent takes a start however old its claim is', async () => {
  expect((await huntInAgent('a start is taken however old its claim is', 1)).found).toBeDefined()
})

/** The rest takes a minute: `npm run simulate`. */
const soonFound = [
  'an end is written from any state',
  'a claim takes a run that is starting',
  'a claim whose answer was lost is nobody’s',
  'a take-over leaves runs that are starting',
  'a cancel wins over an end of its own',
  'what a sandbox left goes with its end',
  'marks of sandboxes are dropped too early',
  'a run of another machine is found never to have started',
  'a claim serves the oldest run, whoever has the most',
  'what a run keeps is counted after its end',
]
test.each(soonFound)('it is noticed when %s', async (bug) => {
  const planted = plantedBugs[bug]
  expect(planted).toBeDefined()
  expect(await simulate(seedsFrom(1, 500), { ...trueRules, ...planted }, { most: 1 })).not.toEqual([])
})
