import { attest } from '../steps/attest.ts'
import { checkBuilderExit } from '../steps/customer-build/check-builder-exit.ts'
import { checkOrigins } from '../steps/customer-build/check-origins.ts'
import {
  chooseNetwork,
  computeImageKey,
  type Keyed,
  type NetworkChosen,
} from '../steps/customer-build/image-inputs.ts'
import { loadCachedStages } from '../steps/customer-build/load-cached-stages.ts'
import { makeBaseLayer } from '../steps/customer-build/make-base-layer.ts'
import { makeCachedStage } from '../steps/customer-build/make-cached-stage.ts'
import { type BasesPulled, pullBaseImages } from '../steps/customer-build/pull-base-images.ts'
import { readConfig } from '../steps/customer-build/read-config.ts'
import { recordNetwork, storeBuilderLog } from '../steps/customer-build/record-network.ts'
import { reuseImage } from '../steps/customer-build/reuse-image.ts'
import { runBuilder } from '../steps/customer-build/run-builder.ts'
import { storeImage } from '../steps/customer-build/store-image.ts'
import { promote } from '../steps/promote.ts'
import { sign } from '../steps/sign.ts'
import { smoke } from '../steps/smoke.ts'
import { staticScan } from '../steps/static-scan.ts'
import { stepList } from '../steps/step.ts'
import { type Validated, validateContext } from '../steps/validate-context.ts'
import { finalVerify, regionalReadback, runnerFloor } from '../steps/verify.ts'

/** Builds the image in a builder sandbox. */
const builderSteps = stepList<Validated & BasesPulled & NetworkChosen & Keyed>()
  .step(makeBaseLayer)
  .step(loadCachedStages)
  .step(makeCachedStage)
  .step(runBuilder)
  .step(recordNetwork)
  .step(storeBuilderLog)
  .step(checkBuilderExit)
  .step(checkOrigins)
  .step(readConfig)
  .step(storeImage)

/** From an archive to an image in quarantine: a reused one, or a new one. */
export const imageSteps = stepList<object>()
  .step(validateContext)
  .step(pullBaseImages)
  .step(chooseNetwork)
  .step(computeImageKey)
  .firstOf(reuseImage, builderSteps)

/** The whole chain, from an archive to a version that can run. */
export const buildChain = imageSteps
  .step(staticScan)
  .step(smoke)
  .step(sign)
  .step(attest)
  .step(promote)
  .step(finalVerify)
  .step(runnerFloor)
  .step(regionalReadback)

/** The values of all steps. */
export type BuildOutputs = Awaited<ReturnType<typeof buildChain.run>>
