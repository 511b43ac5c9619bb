import { BuildFailed } from '../build-failed.ts'
import { composedDigest } from '../provenance/composition.ts'
import { type Build, type BuildStep, found } from './step.ts'

/** The oldest runner that this release of the service starts jobs on. */
const oldestAbiRevision = 1

/** What lies below every job is still what the image was started on and attested with, and not older than it may be. */
export const runnerFloor: BuildStep = {
  stage: 'runner_floor',
  attemptStates: [],
  versionStates: [],
  async run(build: Build) {
    const { findings, tools } = build
    const runner = await tools.executor.runner()
    if (runner.abiRevision < oldestAbiRevision) throw new BuildFailed('platform_failed', 'runner_too_old')
    if (composedDigest(found(build, 'layer'), runner) !== found(build, 'composedDigest')) {
      // The chain is run again, on the runner that there is now.
      throw new Error('the runner was replaced while the build was under way')
    }
    findings.runnerRelease = await tools.runners.record(runner)
  },
}
