import { expect, test } from 'vitest'
import type { HostPort } from '../../agent/port/host.ts'

/** The promises of `HostPort`. */
export function hostConformance(get: () => HostPort): void {
  test('it returns the same runner each time', async () => {
    const host = get()
    const runner = await host.runner()
    expect(runner.layerDigest).toMatch(/^sha256:[0-9a-f]{64}$/)
    expect(runner.policyDigest).toMatch(/^sha256:[0-9a-f]{64}$/)
    expect(runner.abiRevision).toBeGreaterThan(0)
    expect(await host.runner()).toEqual(runner)
  })

  test('no more sandboxes run than there are slots', async () => {
    const { slots, running, cpus, memoryBytes } = await get().capacity()
    expect(running).toBeLessThanOrEqual(slots)
    expect(Math.min(slots, cpus, memoryBytes)).toBeGreaterThan(0)
  })

  test('it reports what its process uses', async () => {
    const first = await get().process()
    const second = await get().process()
    expect(first.residentBytes).toBeGreaterThan(first.heapUsedBytes)
    expect(first.startedAtSeconds * 1000).toBeLessThan(Date.now() + 1000)
    expect(second.startedAtSeconds).toBe(first.startedAtSeconds)
    expect(second.cpuSeconds).toBeGreaterThanOrEqual(first.cpuSeconds)
    expect(Math.min(first.openFiles, first.heapUsedBytes)).toBeGreaterThan(0)
  })
}
