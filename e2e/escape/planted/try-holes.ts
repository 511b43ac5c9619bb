import type { SandboxRuntime } from '../../../server/executor/port.ts'
import { makeAll } from '../make-all.ts'
import { Stage } from '../stage.ts'
import { runScript } from '../trial.ts'
import { BrokenCopy } from './broken-copy.ts'
import { type Hole, holes } from './holes.ts'

/** Plants every hole of `runtimes`, one after another, and counts those that the suite finds. */
export async function tryHoles(
  runtimes: readonly SandboxRuntime[],
): Promise<{ planted: number; found: number }> {
  const planted = holes.filter(({ runtime = 'crun' }) => runtimes.includes(runtime))
  const copy = await BrokenCopy.make()
  let found = 0
  try {
    for (const hole of planted) {
      const signs = await copy
        .without(hole.edits, () => signsOf(hole, copy.agentProgram))
        .catch((error: unknown) => {
          console.log(`${hole.name}: ${String(error)}`)
          return []
        })
      if (signs.length > 0) found += 1
      const [first = 'NOTHING NOTICED', ...more] = signs
      const others = more.length > 0 ? ` and ${more.length} more` : ''
      console.log(`${(hole.runtime ?? 'crun').padEnd(5)} ${hole.name.padEnd(24)} ${first}${others}`)
    }
  } finally {
    await copy.dispose()
  }
  return { planted: planted.length, found }
}

/** What the suite noticed: attempts that got what they should not, and canaries. */
async function signsOf({ runtime = 'crun', tries }: Hole, agentProgram: string): Promise<string[]> {
  const stage = await Stage.set(runtime, agentProgram)
  let got: string[] = []
  let canaries: string[] = []
  try {
    // A sandbox that does not start at all would have everything refused, and prove nothing.
    const { exit, log } = await runScript(stage, 'echo well')
    if (log !== 'well\n') throw new Error(`no sandbox starts: ${exit.cause} ${exit.detail}`)
    const { failures } = await makeAll(stage, (kind, name) =>
      tries.some((wanted) => wanted === kind || wanted === `${kind}/${name}`),
    )
    got = failures
      .filter(({ told }) => told !== 'untried')
      .map(({ class: kind, name, told }) => `${kind}/${name}: ${told}`)
  } finally {
    canaries = await stage.close()
  }
  return [...got, ...canaries.map((canary) => canary.split('\n')[0] ?? canary)]
}
