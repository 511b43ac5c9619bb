import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { LongestFirst } from './server/testing/longest-first.ts'
import { packedPrograms } from './server/testing/packed-programs.ts'

/** Tests that leave nothing behind in their process: those that follow in it find the program loaded. */
const together = [
  'contract/**/*.test.ts',
  'server/{audit,base,environments,findings,http,platform,queue,settings,storage}/**/*.test.ts',
  // Those of the others start agents, or change what their process has.
  'server/runs/**/!(beside-sleepers|boot-program|canaries|network-of-run|profile-limits|run-on-crun|run-worker).test.ts',
]
/** Part of `npm run hostile-builds`, which runs for as long as all others of its folder. */
const hostile = ['server/builds/hostile/registry/hostile-registry.test.ts']
const plugins = [packedPrograms()]

const project = (test: TestProjectInlineConfiguration['test']): TestProjectInlineConfiguration => ({
  plugins,
  test: {
    globalSetup: ['server/testing/global-setup.ts'],
    setupFiles: ['server/testing/tenant-wall/fail-on-faults.ts'],
    pool: 'forks',
    testTimeout: 30_000,
    hookTimeout: 60_000,
    ...test,
  },
})

export default defineConfig({
  test: {
    projects: [
      project({
        name: 'apart',
        include: ['{contract,server,cli,bench}/**/*.test.ts'],
        exclude: [...together, ...hostile],
      }),
      project({ name: 'together', include: together, isolate: false }),
      project({ name: 'hostile', include: hostile }),
    ],
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    allowOnly: false,
    passWithNoTests: false,
  },
})
