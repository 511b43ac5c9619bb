import { globSync } from 'node:fs'

/*
 * Proofs search for faults over many cases and take long, while a test shows one rule. `./check` runs the proofs of what has
 * changed, `./check --proofs` runs all, and any proof can be run by the name of its files.
 */
export interface Proof {
  name: string
  /** Its parts: files of the unit tests, files of the scenarios on a whole service, or a script of package.json. */
  tests?: readonly string[]
  scenarios?: readonly string[]
  script?: readonly string[]
  /** Files below these paths can break it. */
  proves: readonly string[]
}

const runsAndQueue = ['server/work', 'server/runs', 'server/capacity', 'server/db']
const sandboxes = ['agent']
const builds = ['server/builds', 'reader', 'server/images', ...sandboxes]

export const proofs: readonly Proof[] = [
  {
    name: 'languages',
    tests: ['agent/core/sandboxes/everyday.test.ts'],
    proves: sandboxes,
  },
  {
    name: 'networks',
    tests: ['agent/network/{egress,network-life,shared-names}.test.ts'],
    proves: ['agent', 'server/base/addresses'],
  },
  {
    name: 'masks',
    tests: ['agent/mask.test.ts'],
    proves: ['agent/native', 'agent/core/shim'],
  },
  {
    name: 'builder',
    tests: [
      'server/builds/builder/{copied-links,export-layer,hostile-build,mount-check,reserved-links}.test.ts',
      'server/builds/chain/{docker-meanings,real-builds}.test.ts',
      'server/builds/steps/customer-build/{cached-stages,kept-stages,make-base-layer,reuse-image,run-builder}.test.ts',
    ],
    proves: builds,
  },
  {
    name: 'networks of builds',
    tests: [
      'server/builds/bases/public-hub.test.ts',
      'server/builds/network/{build-steps,mirrors,network-chain,pip-install}.test.ts',
      'server/builds/steps/customer-build/pull-base-images.test.ts',
    ],
    proves: [...builds, 'server/base/addresses'],
  },
  {
    name: 'buckets',
    tests: ['server/storage/s3/ceph.test.ts'],
    scenarios: ['e2e/bucket/bucket.test.ts'],
    proves: ['server/storage', 'testing/bucket'],
  },
  {
    name: 'event loop',
    tests: ['proofs/event-loop/*.test.ts'],
    proves: [
      'proofs/event-loop',
      'server/base',
      'server/custom-tables',
      'server/doors',
      'server/schedules',
      'server/http',
      'server/sessions',
    ],
  },
  {
    name: 'failing disks',
    tests: ['agent/core/records/{failing-disk,full-disk}.test.ts'],
    scenarios: ['e2e/full-disk/full-disk.test.ts'],
    proves: ['agent/core', 'agent/native/shim', 'server/storage'],
  },
  {
    name: 'operations',
    scenarios: ['e2e/main-job/{backup,provenance,registry,restored-moment}.test.ts'],
    proves: ['server/operations', 'server/images', 'server/storage', 'server/postgres', 'server/main'],
  },
  {
    name: 'two machines',
    tests: ['server/main/two-machines.test.ts'],
    scenarios: ['e2e/executors/executors.test.ts'],
    proves: ['server/main', 'server/work', 'server/runs/queue'],
  },
  {
    name: 'simulation',
    tests: ['proofs/simulation/*.test.ts'],
    proves: ['proofs/simulation', ...runsAndQueue],
  },
  {
    name: 'canaries',
    tests: ['proofs/canaries/*.test.ts'],
    proves: [
      ...['proofs/canaries', 'server/secrets', 'server/runs/prepare', ...sandboxes],
      ...['server/main/operator/support', 'server/operations/logs'],
    ],
  },
  {
    name: 'hostile builds',
    tests: ['proofs/hostile-builds/*.test.ts', 'proofs/hostile-builds/parsers/*.test.ts'],
    proves: ['proofs/hostile-builds', 'reader', 'server/builds/builder'],
  },
  {
    name: 'routes',
    tests: [
      'proofs/conformance/{audited-routes,kill-switch,malformed-requests,matrix-faults,matrix-ids,pagination}.test.ts',
    ],
    proves: ['proofs/conformance', 'contract', 'server/http'],
  },
  {
    name: 'screens of the console',
    scenarios: [
      'e2e/console/{author,company,doors,environments,inbox,keys,operator,operator-runs,people,run-form,schedules,screens,secrets,signed-out,usage}.test.ts',
    ],
    proves: ['console', 'server/http/console', 'e2e/console'],
  },
  {
    name: 'packed command',
    scenarios: ['e2e/main-job/packed-cli.test.ts'],
    proves: ['cli', 'contract/client', 'server/main'],
  },
  {
    name: 'kill -9',
    scenarios: ['e2e/main-job/restart.test.ts'],
    script: ['crash', '--kills', '20'],
    proves: [...runsAndQueue, 'agent/core'],
  },
  {
    name: 'duplicates',
    script: ['crash', '--case', 'duplicates', '--keys', '50', '--copies', '20'],
    proves: ['server/runs/submit', 'server/db'],
  },
]

/**
 * Variable with the names of the proofs that this run of the tests includes, separated by commas. Without it all are. Settings of the
 * service begin with SANDBOX, and an unknown one is an error.
 */
export const includedProofs = 'TEST_PROOFS'

/** Test files of a proof; paths below the root, where it has to be called. */
export const filesOf = ({ tests = [], scenarios = [] }: Pick<Proof, 'tests' | 'scenarios'>): string[] =>
  globSync([...tests, ...scenarios])

/** Files of the proofs that a run of the tests leaves out, by the value of its variable. */
export function leftOutFiles(included: string | undefined): string[] {
  if (included === undefined) return []
  const names = included.split(',')
  return proofs.filter(({ name }) => !names.includes(name)).flatMap(filesOf)
}
