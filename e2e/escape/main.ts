import { parseArgs } from 'node:util'
import { type SandboxRuntime, sandboxRuntimes } from '../../server/executor/port.ts'
import { type Failure, makeAttempts } from './attempt.ts'
import { Stage } from './stage.ts'
import { tablesOf, trialsOf } from './tables/all.ts'
import { makeTrials } from './trial.ts'

/*
 * Hostile programs in real sandboxes, on each runtime: every attempt has to be refused, or to change nothing but what is
 * the program's own, while canaries outside say what the host and a neighbour noticed. Needs root.
 */
const usage = 'npm run escape -- [--runtime crun|runsc]'

const { values } = parseArgs({
  options: { runtime: { type: 'string', multiple: true, default: [...sandboxRuntimes] } },
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
  const classes: Record<string, number> = {}
  const failures: Failure[] = []
  let found: string[] = []
  try {
    const count = (kind: string, cases: number) => {
      classes[kind] = cases
      console.log(`${runtime}  ${String(cases).padStart(4)}  ${kind}`)
    }
    const tables = await tablesOf(stage)
    await stage.watch()
    for (const table of tables) {
      failures.push(...(await makeAttempts(stage, table)))
      count(table.class, table.attempts.length)
    }
    for (const trials of trialsOf()) {
      failures.push(...(await makeTrials(stage, trials)))
      count(trials.class, trials.trials.length)
    }
  } finally {
    found = await stage.close()
  }
  for (const { class: kind, name, told } of failures)
    console.log(`FAILED ${runtime} ${kind}: ${name} ${told}`)
  for (const canary of found) console.log(`CANARY ${runtime}: ${canary}`)
  return {
    suite: 'escape',
    runtime,
    cases: Object.values(classes).reduce((sum, count) => sum + count, 0),
    failed: failures.length,
    canaries: found.length,
    classes,
  }
}

const tallies: Tally[] = []
for (const runtime of runtimes) tallies.push(await tryAll(runtime))
for (const tally of tallies) console.log(JSON.stringify(tally))
const casesMin = 250
const whole = tallies.every(({ cases, failed, canaries }) => cases >= casesMin && failed + canaries === 0)
process.exitCode = whole ? 0 : 1
