import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import type { SandboxSpec } from '../agent/port/sandbox-spec.ts'
import { installEverydayImage } from '../testing/agent/everyday/everyday-image.ts'
import { busybox, TestAgent } from '../testing/agent/test-agent.ts'
import type { Benchmark } from './harness/measure/benchmark.ts'
import { machineNote } from './harness/measure/machine-note.ts'
import { interleaved } from './harness/measure/rounds.ts'
import { type Row, rowOf } from './harness/measure/row.ts'
import { shellSandbox } from './harness/sandbox/shell-sandbox.ts'

const maxRounds = 15
const tiers = ['crun', 'runsc'] as const
type Tier = (typeof tiers)[number]
const imageWriter = resolve(import.meta.dirname, '../tools/write-everyday-image.ts')

const work: Record<string, string> = {
  start: 'true',
  syscalls: 'dd if=/dev/zero of=/dev/null bs=1 count=100000 2>/dev/null',
  forks: `for n in $(seq 300); do ${busybox} true; done`,
  files: 'mkdir d && for n in $(seq 2000); do echo x >d/$n; done && ls -l d >/dev/null && rm -r d',
  python: '/usr/bin/python3 -c "import json, subprocess"',
}

/** Cost of gVisor over crun; docs in bench/README.md. */
export const runtimeTier: Benchmark = {
  name: 'runtime-tier',
  about: 'system calls, forks, files and a start of Python on gVisor, over the same on crun',
  run: async ({ rounds, say }) => {
    say('runtime-tier: making the image, which is kept for later runs')
    await promisify(execFile)(process.execPath, [imageWriter])
    const agent = await TestAgent.start()
    const machine = machineNote()
    try {
      const image = await installEverydayImage(agent)
      const rows: Row[] = []
      for (const [kind, script] of Object.entries(work)) {
        say(`runtime-tier: ${kind}`)
        const subjects = tiers.map((runtime) => ({
          name: runtime,
          once: () => timeOf(agent, sandbox(image, runtime, script)),
        }))
        const samples = await interleaved(subjects, {
          rounds: Math.min(rounds, maxRounds),
          warmups: 1,
          restMs: 50,
        })
        const measured = (runtime: Tier) => ({ samplesMs: samples.get(runtime) ?? [], cpuMs: null })
        rows.push(
          rowOf({
            name: `runtime-tier-${kind}`,
            ours: measured('runsc'),
            peer: { name: 'crun', measured: measured('crun'), reach: undefined, notes: [] },
            floor: {},
            notes: [machine()],
          }),
        )
      }
      return rows
    } finally {
      await agent.dispose()
    }
  },
}

const sandbox = (image: string, runtime: Tier, script: string): SandboxSpec => ({
  ...shellSandbox(image, `set -e; ${script}`),
  runtime,
})

/** From the request for the start until the end is known: on gVisor much of it is before the program. */
async function timeOf(agent: TestAgent, spec: SandboxSpec): Promise<number> {
  const startedAt = performance.now()
  const { exit, log } = await agent.run(spec)
  const tookMs = performance.now() - startedAt
  if (exit.exitCode !== 0) throw new Error(`the job ended: ${exit.cause} ${exit.detail} ${log}`)
  await agent.client.remove(spec.id)
  return tookMs
}
