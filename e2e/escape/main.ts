import { parseArgs } from 'node:util'
import { type SandboxRuntime, sandboxRuntimes } from '../../server/executor/port.ts'
import { type Made, makeAll } from './make-all.ts'
import { tryHoles } from './planted/try-holes.ts'
import { Stage } from './stage.ts'

/*
 * Hostile programs in real sandboxes, on each runtime: every attempt has to be refused, or to change nothing but what is
 * the program's own, while canaries outside say what the host and a neighbour noticed. With --planted, controls are taken
 * away one by one, and each time the suite has to notice. Needs root.
 */
const usage = 'npm run escape -- [--runtime crun|runsc] [--planted]'

const { values } = parseArgs({
  options: {
    runtime: { type: 'string', multiple: true, default: [...sandboxRuntimes] },
    planted: { type: 'boolean', default: false },
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
  const stage = await Stage.set(runtime)
  let made: Made = { classes: {}, failures: [] }
  let found: string[] = []
  try {
    made = await makeAll(
      stage,
      () => true,
      (kind, count) => console.log(`${runtime}  ${String(count).padStart(4)}  ${kind}`),
    )
  } finally {
    found = await stage.close()
  }
  for (const { class: kind, name, told } of made.failures)
    console.log(`FAILED ${runtime} ${kind}: ${name} ${told}`)
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
  const { planted, found } = await tryHoles(runtimes)
  console.log(JSON.stringify({ suite: 'escape-planted', planted, found }))
  return found === planted
}

process.exitCode = (await (values.planted ? tryPlanted() : tryRuntimes())) ? 0 : 1
