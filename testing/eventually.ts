import { vi } from 'vitest'

/** Waits until the assertion holds, as long as a slow machine may take. */
export const eventually = <T>(assertion: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(assertion, { timeout: 120_000, interval: 20 })
