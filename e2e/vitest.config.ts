import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'

/** Scenarios against a whole service, and the examples they use. Two at a time: each starts its own service. */
export default defineConfig({
  test: {
    root: resolve(import.meta.dirname, '..'),
    include: ['e2e/!(crash)/**/*.test.ts', 'examples/**/*.test.ts'],
    maxWorkers: 2,
    pool: 'forks',
    // The first run makes a base image and the builder from Debian packages.
    testTimeout: 300_000,
    hookTimeout: 600_000,
    allowOnly: false,
    passWithNoTests: false,
  },
})
