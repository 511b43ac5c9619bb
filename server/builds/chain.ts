import { attest } from './steps/attest.ts'
import { contextValidator } from './steps/context-validator.ts'
import { customerBuild } from './steps/customer-build.ts'
import { finalVerify } from './steps/final-verify.ts'
import { promote } from './steps/promote.ts'
import { regionalReadback } from './steps/regional-readback.ts'
import { runnerFloor } from './steps/runner-floor.ts'
import { sign } from './steps/sign.ts'
import { smoke } from './steps/smoke.ts'
import { staticScan } from './steps/static-scan.ts'
import type { BuildStep } from './steps/step.ts'

/** The chain from an archive to a version that runs, in the order of its stages. */
export const buildChain: readonly BuildStep[] = [
  contextValidator,
  customerBuild,
  staticScan,
  smoke,
  sign,
  attest,
  promote,
  finalVerify,
  runnerFloor,
  regionalReadback,
]
