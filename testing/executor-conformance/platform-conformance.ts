import { expect, test } from 'vitest'
import type { PlatformPort } from '../../agent/port/platform.ts'

/** The promises of `PlatformPort`. */
export function platformConformance(get: () => PlatformPort): void {
  test('it returns the same runner each time', async () => {
    const platform = get()
    const runner = await platform.runner()
    expect(runner.layerDigest).toMatch(/^sha256:[0-9a-f]{64}$/)
    expect(runner.policyDigest).toMatch(/^sha256:[0-9a-f]{64}$/)
    expect(runner.abiRevision).toBeGreaterThan(0)
    expect(await platform.runner()).toEqual(runner)
  })
}
