import type { Benchmark } from './harness/measure/benchmark.ts'
import { compareBuilds } from './harness/measure/compare-builds.ts'

/** A build in which one file has changed; docs in bench/README.md. */
export const buildSmall: Benchmark = {
  name: 'build-small',
  about: 'a build of twelve steps in which one file has changed, to a version that is ready',
  run: (options) =>
    compareBuilds({ name: 'build-small', changes: 'one file', reach: { atMost: 1 }, roundsMax: 15 }, options),
}
