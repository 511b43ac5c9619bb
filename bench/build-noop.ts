import type { Benchmark } from './harness/measure/benchmark.ts'
import { compareBuilds } from './harness/measure/compare-builds.ts'

/** A build in which nothing has changed; docs in bench/README.md. */
export const buildNoop: Benchmark = {
  name: 'build-noop',
  about: 'a build of twelve steps in which nothing has changed, to a version that is ready',
  run: (options) =>
    compareBuilds(
      { name: 'build-noop', changes: 'nothing', reach: { atMost: 0.02 }, roundsMax: 30 },
      options,
    ),
}
