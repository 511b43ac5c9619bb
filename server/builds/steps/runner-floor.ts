import { composedDigest } from '../../images/provenance/composition.ts'
import { BuildFailed } from '../request/build-failed.ts'
import type { Attested } from './attest.ts'
import type { Built } from './customer-build/built.ts'
import type { Step } from './step.ts'

/** The oldest runner on which this release starts jobs. */
const oldestAbiRevision = 1

export interface RunnerChecked {
  runnerRelease: string
}

type Needs = Pick<Built, 'layers'> & Pick<Attested, 'composedDigest'>

/** Checks that the runner is the one that the image was tested and attested with, and not too old. */
export const runnerFloor: Step<Needs, RunnerChecked> = {
  name: 'runner_floor',
  stage: 'runner_floor',
  async run({ tools }, { layers, composedDigest: attested }) {
    const runner = await tools.executor.runner()
    if (runner.abiRevision < oldestAbiRevision) throw new BuildFailed('platform_failed', 'runner_too_old')
    if (composedDigest(layers, runner) !== attested) {
      // The chain runs again, on the current runner.
      throw new Error('the runner was replaced during the build')
    }
    return { runnerRelease: await tools.runners.record(runner) }
  },
}
