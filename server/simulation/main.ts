import { parseArgs } from 'node:util'
import { trueRules } from './rules.ts'
import { type BugHunt, huntPlantedBugs, seedsFrom, simulate } from './simulate.ts'

/*
 * The worker's own code (`RunWorker`, `driveRun`, the moves of a run, what an exit means) through every order of events
 * that a seed draws: crashes, frozen processes, requests and answers that get lost or come late, agents that restart,
 * cancels at any moment. Database and host are models of what they promise. Then every rule is taken away in turn, which
 * has to be noticed: a simulation that finds nothing proves nothing.
 */
const usage = 'npm run simulate -- [--seeds N] [--seed FIRST]'
const shownMax = 20

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

const violations = await simulate(seedsFrom(first, count), trueRules)
for (const { seed, faults } of violations.slice(0, shownMax))
  console.log(`seed ${seed}: ${faults.join('; ')}`)
const hunts: BugHunt[] = []
for await (const hunt of huntPlantedBugs(first)) {
  const { bug, found } = hunt
  hunts.push(hunt)
  console.log(found ? `found: ${bug} (seed ${found.seed}: ${found.faults[0]})` : `NOT FOUND: ${bug}`)
}
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
