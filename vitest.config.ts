import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { LongestFirst } from './testing/suite/longest-first.ts'
import { packedPrograms } from './testing/suite/packed-programs.ts'

/** Tests that leave nothing behind in their process: those that follow in it find the program loaded. */
const together = [
  'contract/**/*.test.ts',
  'server/{access,agent-tools,agents,audit,base,billing,companies,custom-tables,environments,findings,mcp,notifications,settings,storage,tasks,work}/**/*.test.ts',
  'server/http/**/!(*-of-real-runs).test.ts',
  // Those of the others start agents, or change what their process has.
  'server/runs/**/!(beside-sleepers|boot-program|network-of-run|profile-limits|run-on-crun|run-worker).test.ts',
]
/** Part of `npm run hostile-builds`, which runs for as long as all others of its folder. */
const hostile = ['proofs/hostile-builds/registry/hostile-registry.test.ts']
const plugins = [packedPrograms()]

const project = (test: TestProjectInlineConfiguration['test']): TestProjectInlineConfiguration => ({
  plugins,
  test: {
    globalSetup: ['testing/suite/global-setup.ts'],
    setupFiles: ['testing/tenant-wall/fail-on-faults.ts'],
    pool: 'forks',
    testTimeout: 90_000,
    hookTimeout: 120_000,
    ...test,
  },
})

export default defineConfig({
  test: {
    projects: [
      project({
        name: 'apart',
        include: ['{client,contract,server,cli,bench,proofs,testing,tools}/**/*.test.ts'],
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
