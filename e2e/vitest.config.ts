import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from '../testing/suite/longest-first.ts'
import { packedPrograms } from '../testing/suite/packed-programs.ts'
import { includedProofs, leftOutFiles } from '../testing/suite/proofs.ts'

/** Scenarios against a whole service, and the examples they use. */
export default defineConfig({
  plugins: [packedPrograms()],
  test: {
    root: resolve(import.meta.dirname, '..'),
    globalSetup: ['e2e/main-job/global-setup.ts'],
    include: ['e2e/!(crash)/**/*.test.ts', 'examples/**/*.test.ts'],
    exclude: leftOutFiles(process.env[includedProofs]),
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    pool: 'forks',
    expect: { poll: { timeout: 120_000 } },
    // The first run makes a base image and the builder from Debian packages.
    testTimeout: 300_000,
    hookTimeout: 600_000,
    allowOnly: false,
    passWithNoTests: false,
  },
})
