import { afterAll, vi } from 'vitest'

/* Setup of each test file: undoes its replacements before the next file of the process. */

afterAll(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
})
