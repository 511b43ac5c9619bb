import { storeSandboxLog } from '../../sandboxes/build-sandboxes.ts'
import type { Step } from '../step.ts'
import type { NetworkRecorded } from './record-network.ts'
import type { BuilderEnded } from './run-builder.ts'

/** Stores the builder's log and what its steps were refused, however the builder ended. */
export const storeBuilderLog: Step<BuilderEnded & NetworkRecorded, void> = {
  name: 'store_builder_log',
  stage: 'customer_build',
  run: (build, { sandboxId, refusedLog }) => storeSandboxLog(build, sandboxId, refusedLog),
}
