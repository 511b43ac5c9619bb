import { busybox, TestAgent } from '../testing/agent/test-agent.ts'
import type { Benchmark } from './harness/measure/benchmark.ts'
import { machineNote } from './harness/measure/machine-note.ts'
import { treeCpuMs } from './harness/measure/process-cpu.ts'
import { interleaved } from './harness/measure/rounds.ts'
import { rowOf } from './harness/measure/row.ts'
import { shellSandbox } from './harness/sandbox/shell-sandbox.ts'

const warmups = 10
const restMs = 20

/** An agent whose sandboxes are on one runtime. */
interface Side {
  name: string
  once(): Promise<number>
  cpuMs(): Promise<number>
  close(): Promise<void>
}

/** Cost of a whole sandbox by runtime; docs in bench/README.md. */
export const sandbox: Benchmark = {
  name: 'sandbox',
  about: 'a sandbox made, run and removed by the host agent on the launcher, over crun',
  run: async ({ rounds, say }) => {
    const sides = [await sideOn('launcher'), await sideOn('crun')]
    try {
      say('sandbox: warming up')
      await interleaved(sides, { rounds: warmups, warmups: 0, restMs })
      const machine = machineNote()
      const before = await Promise.all(sides.map((side) => side.cpuMs()))
      const samples = await interleaved(sides, { rounds, warmups: 0, restMs })
      const after = await Promise.all(sides.map((side) => side.cpuMs()))
      const [ours, peer] = sides.map(({ name }, at) => ({
        samplesMs: samples.get(name) ?? [],
        cpuMs: ((after[at] ?? 0) - (before[at] ?? 0)) / rounds,
      }))
      return [
        rowOf({
          name: 'sandbox',
          ours,
          peer: { name: 'crun', measured: peer, reach: undefined, notes: [] },
          floor: {},
          notes: ['cpu is that of agent, spawner, shim and all of the sandbox', machine()],
        }),
      ]
    } finally {
      for (const side of sides) await side.close()
    }
  },
}

async function sideOn(runtime: 'crun' | 'launcher'): Promise<Side> {
  const agent = await TestAgent.start({ SANDBOX_RUNTIME: runtime })
  const image = await agent.image()
  const spec = () => ({ ...shellSandbox(image, ''), argv: [busybox, 'true'] })
  return {
    name: runtime,
    cpuMs: () => treeCpuMs(agent.process?.pid ?? 0),
    close: () => agent.dispose(),
    once: async () => {
      const one = spec()
      const startedAt = performance.now()
      const { exit } = await agent.run(one)
      await agent.client.remove(one.id)
      const tookMs = performance.now() - startedAt
      if (exit.exitCode !== 0) throw new Error(`the sandbox ended: ${exit.cause} ${exit.detail}`)
      return tookMs
    },
  }
}
