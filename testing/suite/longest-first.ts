import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The slowest test files, the slowest first. The size of a file does not predict it. */
export const longest = [
  'e2e/executors/executors.test.ts',
  'e2e/main-job/restored-moment.test.ts',
  'e2e/console/screens.test.ts',
  'e2e/main-job/operator.test.ts',
  'e2e/main-job/commands.test.ts',
  'e2e/main-job/backup.test.ts',
  'server/builds/network/mirrors.test.ts',
  'server/builds/network/network-chain.test.ts',
  'agent/network/egress.test.ts',
  'agent/core/records/failing-disk.test.ts',
  'server/builds/chain/docker-meanings.test.ts',
  'server/builds/network/build-steps.test.ts',
  'proofs/event-loop/requests.test.ts',
  'server/builds/bases/public-hub.test.ts',
  'server/builds/steps/customer-build/cached-stages.test.ts',
  'proofs/hostile-builds/hostile-builds.test.ts',
  'agent/core/sandboxes/everyday.test.ts',
  'server/main/two-machines.test.ts',
  'server/builds/steps/customer-build/run-builder.test.ts',
  'server/builds/steps/customer-build/pull-base-images.test.ts',
  'server/builds/network/pip-install.test.ts',
  'proofs/conformance/matrix.test.ts',
  'proofs/conformance/matrix-faults.test.ts',
  'proofs/conformance/pagination.test.ts',
  'proofs/conformance/forgery.test.ts',
  'proofs/event-loop/sessions.test.ts',
  'server/builds/steps/customer-build/reuse-image.test.ts',
  'server/builds/steps/customer-build/kept-stages.test.ts',
  'server/builds/steps/customer-build/make-base-layer.test.ts',
  'server/runs/drive/run-on-crun.test.ts',
  'agent/bundle/shared-files.test.ts',
  'agent/capacity/limits.test.ts',
  'server/main/up.test.ts',
  'server/main/walls.test.ts',
  'server/builds/builder/hostile-build.test.ts',
  'server/builds/builder/modern-dockerfile.test.ts',
  'server/http/doors/doors-of-real-runs.test.ts',
]

const rank = ({ moduleId }: Pick<TestSpecification, 'moduleId'>): number => {
  const index = longest.findIndex((name) => moduleId.endsWith(`/${name}`))
  return index === -1 ? longest.length : index
}

/** The same files with the longest first; the others keep their order. */
export const longestFirst = <File extends Pick<TestSpecification, 'moduleId'>>(files: File[]): File[] =>
  files.toSorted((one, other) => rank(one) - rank(other))

/** Starts the longest files first: if one starts last, its worker is busy while the other is idle. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return longestFirst(await super.sort(files))
  }
}
