import { expect, test } from 'vitest'
import { shellJob } from '../../testing/agent/test-agent.ts'
import { planText, type ShimPlan } from './shim-plan.ts'

const gib = 1024 ** 3

/** Seconds for the collection of files with these limits. */
function collectSeconds(...maxBytes: number[]): number {
  const spec = shellJob(`sha256:${'0'.repeat(64)}`, 'true')
  const files = maxBytes.map((bytes, at) => ({ name: `f${at}`, path: `/workspace/f${at}`, maxBytes: bytes }))
  const text = planText({
    ...({ name: 'sandbox', idBase: 65_536, staging: '/s', viewFolder: '/p', command: ['/c'] } as ShimPlan),
    spec: { ...spec, collect: { files } },
    cgroups: {
      ...{ folders: [], settings: [], counters: [], devices: [], procs: '/g' },
      weight: { path: '/w', value: 1 },
    },
    lowers: [],
    workspace: { kind: 'memory' },
  })
  return Number(/^collect_seconds (\d+)$/m.exec(text)?.[1])
}

test('the time to collect results permits the largest ones on a slow disk', () => {
  expect(collectSeconds()).toBe(120)
  const [tenGib, both] = [collectSeconds(10 * gib), collectSeconds(10 * gib, 10 * gib)]
  expect((10 * gib) / tenGib).toBeLessThan(4 * 1024 ** 2)
  expect(both - tenGib).toBe(tenGib - 120)
})
