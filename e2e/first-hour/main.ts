import { parseArgs } from 'node:util'
import { freePort } from '../main-job/service.ts'
import { authorSteps } from './author-steps.ts'
import { suites } from './debian-root.ts'
import { exampleSteps } from './example-steps.ts'
import { FreshRoot } from './fresh-root.ts'
import { integratorSteps } from './integrator-steps.ts'
import { managerSteps } from './manager-steps.ts'
import { operatorSteps } from './operator-steps.ts'
import { roomSteps } from './room-steps.ts'
import { secondDaySteps } from './second-day-steps.ts'
import { timeSteps } from './step.ts'
import { World } from './world.ts'

/*
 * The first hour with Sandbox Jobs, on a new Debian root with nothing of ours: an operator installs it, an author brings a
 * program in each language and makes the usual mistakes, a manager deploys for one department, a person in a room reads a
 * result in a browser, and an integrator uses a restricted key. The second day: the operator moves the service to Debian's own
 * Postgres and behind a proxy. Prints the time of each step. Needs root, a network and Chromium. --suite trixie: on Debian 13.
 */
const { values } = parseArgs({ options: { suite: { type: 'string', default: 'bookworm' } } })
const suite = suites.find((name) => name === values.suite)
if (!suite) {
  console.error(`usage: npm run first-hour -- [--suite ${suites.join('|')}]`)
  process.exit(2)
}
const startedMs = performance.now()
const root = await FreshRoot.make(suite)
console.log(`a new root in ${((performance.now() - startedMs) / 1000).toFixed(1)} s`)
const world = new World(root, await freePort())
let failed: string[] = []
const parts = [
  operatorSteps,
  exampleSteps,
  authorSteps,
  managerSteps,
  roomSteps,
  integratorSteps,
  secondDaySteps,
]
const steps = parts.flatMap((stepsOf) => stepsOf(world))
try {
  failed = await timeSteps(steps)
} finally {
  await world.dispose()
}
console.log(
  JSON.stringify({ suite: 'first-hour', cases: steps.length, failed: failed.length, failed_names: failed }),
)
process.exitCode = failed.length === 0 ? 0 : 1
