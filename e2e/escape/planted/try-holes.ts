import type { SandboxRuntime } from '../../../agent/port/sandbox-spec.ts'
import { makeAll } from '../make-all.ts'
import { Testbed } from '../testbed.ts'
import { runScript } from '../trial.ts'
import { editsOn, type Hole, runtimesOf } from './holes/hole.ts'
import { holes } from './holes/index.ts'
import { PatchedCopy } from './patched-copy.ts'

/** Plants every hole of `runtimes`, or the one of that name, one after another, and counts those that the suite detects. */
export async function tryHoles(
  runtimes: readonly SandboxRuntime[],
  name?: string,
): Promise<{ planted: number; found: number }> {
  const wanted = holes.filter((hole) => name === undefined || hole.name === name)
  const planted = wanted.flatMap((hole) =>
    runtimesOf(hole)
      .filter((runtime) => runtimes.includes(runtime))
      .map((runtime) => ({ hole, runtime })),
  )
  const copy = await PatchedCopy.make()
  let found = 0
  try {
    for (const { hole, runtime } of planted) {
      const signs = await copy
        .without(editsOn(hole, runtime), () => detectionsOf(hole, runtime, copy.agentProgram))
        .catch((error: unknown) => {
          console.log(`${hole.name}: ${String(error)}`)
          return []
        })
      if (signs.length > 0) found += 1
      const [first = 'NOT DETECTED', ...more] = signs
      const others = more.length > 0 ? ` and ${more.length} more` : ''
      console.log(`${runtime.padEnd(8)} ${hole.name.padEnd(24)} ${first}${others}`)
    }
  } finally {
    await copy.dispose()
  }
  return { planted: planted.length, found }
}

/** Detections of the suite: attempts that succeeded, and changed canaries. */
async function detectionsOf(
  { tries }: Hole,
  runtime: SandboxRuntime,
  agentProgram: string,
): Promise<string[]> {
  const testbed = await Testbed.create(runtime, agentProgram)
  let got: string[] = []
  let canaries: string[] = []
  try {
    // If no sandbox starts, every attempt is refused and proves nothing.
    const { exit, log } = await runScript(testbed, 'echo well')
    if (log !== 'well\n') throw new Error(`no sandbox starts: ${exit.cause} ${exit.detail}`)
    const { failures } = await makeAll(testbed, (kind, name) =>
      tries.some((wanted) => wanted === kind || wanted === `${kind}/${name}`),
    )
    got = failures
      .filter(({ outcome }) => outcome !== 'untried')
      .map(({ class: kind, name, outcome }) => `${kind}/${name}: ${outcome}`)
  } finally {
    canaries = await testbed.close()
  }
  return [...got, ...canaries.map((canary) => canary.split('\n')[0] ?? canary)]
}
