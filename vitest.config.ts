import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { LongestFirst } from './testing/suite/longest-first.ts'
import { sharedProcessTests } from './testing/suite/own-process.ts'
import { packedPrograms } from './testing/suite/packed-programs.ts'
import { includedProofs, leftOutFiles } from './testing/suite/proofs.ts'

const all = [
  '{agent,kubernetes,reader,client,contract,server,cli,bench,proofs,testing,tools}/**/*.test.ts',
  'console/src/**/*.test.{ts,tsx}',
  'e2e/crash/checks/*.test.ts',
]
/** Part of `npm run hostile-builds`, which runs for as long as all others of its folder. */
const hostile = ['proofs/hostile-builds/registry/hostile-registry.test.ts']
/** Also run on the oldest supported Postgres: the statements of each area. Its template has all migrations. */
const onOldestPostgres = [
  'server/db/service-rights.test.ts',
  'server/runs/submit/submit-run.test.ts',
  'server/runs/submit/run-holds.test.ts',
  'server/runs/queue/claim-store.test.ts',
  'server/runs/queue/claim-batch-store.test.ts',
  'server/runs/results/collect-run.test.ts',
  'server/billing/usage/usage-report.test.ts',
  'server/billing/holds/hold-build.test.ts',
  'server/billing/prices/apply-prices.test.ts',
  'server/custom-tables/rows/table-queries.test.ts',
  'server/http/routes/tables/table-triggers.test.ts',
  'server/operations/audit/audit-log.test.ts',
  'server/operations/backup/database.test.ts',
]
const elsewhere = [...hostile, ...leftOutFiles(process.env[includedProofs])]
const together = sharedProcessTests(all).filter((file) => !elsewhere.includes(file))
const plugins = [packedPrograms()]

const project = (test: TestProjectInlineConfiguration['test']): TestProjectInlineConfiguration => ({
  plugins,
  test: {
    setupFiles: ['testing/tenant-wall/fail-on-faults.ts'],
    pool: 'forks',
    // For what hangs: a slow machine takes long.
    expect: { poll: { timeout: 120_000 } },
    testTimeout: 300_000,
    hookTimeout: 300_000,
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
        exclude: [...together, ...elsewhere],
      }),
      project({ name: 'together', include: together, isolate: false }),
      project({ name: 'hostile', include: hostile }),
      project({
        name: 'oldest-postgres',
        include: onOldestPostgres,
        isolate: false,
        globalSetup: ['testing/suite/oldest-postgres.ts'],
      }),
    ],
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    allowOnly: false,
    passWithNoTests: false,
  },
})
