import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { LongestFirst } from './testing/suite/longest-first.ts'
import { sharedProcessTests } from './testing/suite/own-process.ts'
import { packedPrograms } from './testing/suite/packed-programs.ts'

const all = [
  '{client,contract,server,cli,bench,proofs,testing,tools}/**/*.test.ts',
  'e2e/crash/checks/*.test.ts',
]
/** Part of `npm run hostile-builds`, which runs for as long as all others of its folder. */
const hostile = ['proofs/hostile-builds/registry/hostile-registry.test.ts']
const together = sharedProcessTests(all).filter((file) => !hostile.includes(file))
const plugins = [packedPrograms()]

const project = (test: TestProjectInlineConfiguration['test']): TestProjectInlineConfiguration => ({
  plugins,
  test: {
    setupFiles: ['testing/tenant-wall/fail-on-faults.ts'],
    pool: 'forks',
    testTimeout: 90_000,
    hookTimeout: 120_000,
    ...test,
  },
})

export default defineConfig({
  test: {
    // Once for all projects.
    globalSetup: ['testing/suite/global-setup.ts'],
    projects: [
      project({
        name: 'apart',
        include: all,
        exclude: [...together, ...hostile],
      }),
      project({ name: 'together', include: together, isolate: false }),
      project({ name: 'hostile', include: hostile }),
    ],
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    allowOnly: false,
    passWithNoTests: false,
  },
})
