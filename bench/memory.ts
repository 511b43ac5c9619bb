import { setTimeout as sleep } from 'node:timers/promises'
import type { Benchmark } from './harness/measure/benchmark.ts'
import { rounded } from './harness/measure/percentile.ts'
import { type ProcessMemory, treeMemory } from './harness/measure/process-memory.ts'
import { startService } from './harness/service/service.ts'

const limitMiB = 300
/** The start is over by then, and its memory is released. */
const settleMs = 20_000
const MiB = 1024 ** 2

/** Memory of an idle service; docs in bench/README.md. */
export const memory: Benchmark = {
  name: 'memory',
  about: 'memory of an idle service with its Postgres',
  run: async ({ say }) => {
    say('memory: starting a service')
    const service = await startService()
    try {
      say(`memory: leaving it idle for ${settleMs / 1000} s`)
      await sleep(settleMs)
      const processes = await treeMemory(service.pid)
      const mib = rounded(sumOf(processes) / MiB)
      return [
        {
          name: 'memory',
          ours: null,
          mib,
          peer: `${limitMiB} MiB`,
          peer_ms: null,
          ratio: rounded(mib / limitMiB),
          reach: 'at most 1 x',
          met: mib <= limitMiB,
          floor: {},
          cpu_ms: { ours: null, peer: null },
          notes: [
            `memory: ${mib} MiB in all, by proportional set size, ${settleMs / 1000} s after the start: ${parts(processes)}`,
          ],
        },
      ]
    } finally {
      await service.stop()
    }
  },
}

const sumOf = (processes: readonly ProcessMemory[]): number =>
  processes.reduce((sum, { pssBytes }) => sum + pssBytes, 0)

/** By program, the largest first. */
function parts(processes: readonly ProcessMemory[]): string {
  const byName = Map.groupBy(processes, ({ name }) => name)
  return [...byName]
    .map(([name, group]) => ({ name, count: group.length, mib: sumOf(group) / MiB }))
    .sort((a, b) => b.mib - a.mib)
    .map(({ name, count, mib }) => `${name}${count > 1 ? ` (${count})` : ''} ${mib.toFixed(1)}`)
    .join(', ')
}
