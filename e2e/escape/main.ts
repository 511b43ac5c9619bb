import { parseArgs } from 'node:util'
import { type SandboxRuntime, sandboxRuntimes } from '../../agent/port/sandbox-spec.ts'
import { makeAll, type Results } from './make-all.ts'
import { tryHoles } from './planted/try-holes.ts'
import { Testbed } from './testbed.ts'

/*
 * Hostile programs in real sandboxes, on each runtime: every attempt must be refused, or change nothing outside its own
 * sandbox; canaries show effects on the host and on a neighbour. With --planted, controls are removed one by one, and each
 * time the suite must detect it. Needs root.
 */
const usage = 'npm run escape -- [--runtime crun|launcher|runsc] [--planted [--hole NAME]]'

const { values } = parseArgs({
  options: {
    runtime: { type: 'string', multiple: true, default: [...sandboxRuntimes] },
    planted: { type: 'boolean', default: false },
    hole: { type: 'string' },
  },
})
const runtimes = sandboxRuntimes.filter((runtime) => values.runtime.includes(runtime))
if (runtimes.length !== new Set(values.runtime).size) {
  console.error(`usage: ${usage}`)
  process.exit(2)
}

interface Tally {
  suite: 'escape'
  runtime: SandboxRuntime
  cases: number
  failed: number
  canaries: number
  classes: Record<string, number>
}

async function tryAll(runtime: SandboxRuntime): Promise<Tally> {
  const testbed = await Testbed.create(runtime)
  let made: Results = { classes: {}, failures: [] }
  let found: string[] = []
  try {
    made = await makeAll(
      testbed,
      () => true,
      (kind, count) => console.log(`${runtime}  ${String(count).padStart(4)}  ${kind}`),
    )
  } finally {
    found = await testbed.close()
  }
  for (const { class: kind, name, outcome } of made.failures)
    console.log(`FAILED ${runtime} ${kind}: ${name} ${outcome}`)
  for (const canary of found) console.log(`CANARY ${runtime}: ${canary}`)
  return {
    suite: 'escape',
    runtime,
    cases: Object.values(made.classes).reduce((sum, count) => sum + count, 0),
    failed: made.failures.length,
    canaries: found.length,
    classes: made.classes,
  }
}

async function tryRuntimes(): Promise<boolean> {
  const tallies: Tally[] = []
  for (const runtime of runtimes) tallies.push(await tryAll(runtime))
  for (const tally of tallies) console.log(JSON.stringify(tally))
  const casesMin = 250
  return tallies.every(({ cases, failed, canaries }) => cases >= casesMin && failed + canaries === 0)
}

async function tryPlanted(): Promise<boolean> {
  const { planted, found } = await tryHoles(runtimes, values.hole)
  console.log(JSON.stringify({ suite: 'escape-planted', planted, found }))
  return planted > 0 && found === planted
}

process.exitCode = (await (values.planted ? tryPlanted() : tryRuntimes())) ? 0 : 1
