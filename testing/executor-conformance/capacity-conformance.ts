import { expect, test } from 'vitest'
import type { CapacityPort } from '../../agent/port/capacity.ts'

/** The promises of `CapacityPort`. */
export function capacityConformance(get: () => CapacityPort): void {
  test('no more sandboxes run than there are slots', async () => {
    const { slots, running, cpus, memoryBytes } = await get().capacity()
    expect(running).toBeLessThanOrEqual(slots)
    expect(Math.min(slots, cpus, memoryBytes)).toBeGreaterThan(0)
  })
}
