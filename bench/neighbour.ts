import type { SandboxSpec } from '../agent/port/sandbox-spec.ts'
import { busybox, TestAgent } from '../testing/agent/test-agent.ts'
import { noInput } from '../testing/no-input.ts'
import type { Benchmark } from './harness/measure/benchmark.ts'
import { interleaved } from './harness/measure/rounds.ts'
import { type Row, rowOf } from './harness/measure/row.ts'
import { shellSandbox } from './harness/sandbox/shell-sandbox.ts'

const reach = { atMost: 1.25 }
const maxRounds = 15
/** The neighbour runs for this long before the job starts. */
const settleMs = 500

/** A mix of computing, starting programs and writing. */
const job = `
i=0; while [ $i -lt 150000 ]; do i=$((i + 1)); done
for n in $(seq 60); do ${busybox} true; done
dd if=/dev/zero of=/workspace/file bs=1M count=64 2>/dev/null
`

/**
 * Another tenant's job at full load: each script repeats one kind of work without end, in more processes than the job
 * has processors.
 */
const neighbours: Record<string, { script: string; limits?: Partial<SandboxSpec['limits']> }> = {
  processor: { script: inEight('while :; do :; done') },
  memory: {
    script: inEight('while :; do dd if=/dev/zero of=/workspace/$n bs=1M count=50; done 2>/dev/null'),
  },
  fork: { script: inEight(`while :; do ${busybox} true; done`) },
  disk: {
    script: inEight(
      'while :; do dd if=/dev/zero of=/workspace/$n bs=1M count=50 conv=fsync; done 2>/dev/null',
    ),
    limits: { workspaceKind: 'disk' },
  },
  log: { script: inEight('yes the log of a job that never ends') },
}

function inEight(script: string): string {
  return `for n in 1 2 3 4 5 6 7 8; do (${script}) & done; wait`
}

/** Effect of a job at full load on the run time of another tenant's; docs in bench/README.md. */
export const neighbour: Benchmark = {
  name: 'neighbour',
  about: 'run time of a job next to one at full load, over that of the same job alone',
  run: async ({ rounds, say }) => {
    const agent = await TestAgent.start()
    try {
      const image = await agent.image()
      const rows: Row[] = []
      for (const [kind, { script, limits }] of Object.entries(neighbours)) {
        say(`neighbour: ${kind}`)
        const contended = async () => {
          const other = sandbox(image, script, limits)
          await agent.client.start(other, noInput)
          await new Promise((resolve) => setTimeout(resolve, settleMs))
          const tookMs = await timeOf(agent, sandbox(image, job))
          await agent.client.stop(other.id)
          await agent.client.wait(other.id)
          await agent.client.remove(other.id)
          return tookMs
        }
        const alone = () => timeOf(agent, sandbox(image, job))
        const samples = await interleaved(
          [
            { name: 'contended', once: contended },
            { name: 'alone', once: alone },
          ],
          { rounds: Math.min(rounds, maxRounds), warmups: 1, restMs: 50 },
        )
        const measured = (name: string) => ({ samplesMs: samples.get(name) ?? [], cpuMs: null })
        rows.push(
          rowOf({
            name: `neighbour-${kind}`,
            ours: measured('contended'),
            peer: { name: 'alone', measured: measured('alone'), reach, notes: [] },
            floor: {},
            notes: [],
          }),
        )
      }
      return rows
    } finally {
      await agent.dispose()
    }
  },
}

function sandbox(image: string, script: string, limits: Partial<SandboxSpec['limits']> = {}): SandboxSpec {
  const spec = shellSandbox(image, script)
  return { ...spec, limits: { ...spec.limits, ...limits } }
}

/** From the job's start to its end, by its exit record. */
async function timeOf(agent: TestAgent, spec: SandboxSpec): Promise<number> {
  const { exit } = await agent.run(spec)
  if (exit.exitCode !== 0 || exit.startedAt === null)
    throw new Error(`the job ended: ${exit.cause} ${exit.detail}`)
  await agent.client.remove(spec.id)
  return Date.parse(exit.endedAt) - Date.parse(exit.startedAt)
}
