import { programNeverStarted, type SandboxExit } from '../../../../agent/port/sandbox-exit.ts'
import { buildSandbox } from '../../builder/build-sandbox.ts'
import { builderInput, type EarlierOutput } from '../../builder/builder-input.ts'
import { offerLog } from '../../logs/build-log.ts'
import type { Build } from '../../request/build.ts'
import { BuildFailed } from '../../request/build-failed.ts'
import { deliverySandboxId } from '../../sandboxes/build-sandboxes.ts'
import { startSandbox } from '../../sandboxes/start-sandbox.ts'
import type { Step } from '../step.ts'
import type { Validated } from '../validate-context.ts'
import type { NetworkChosen } from './image-inputs.ts'
import type { StagesReady } from './load-cached-stages.ts'
import type { BaseLayerReady } from './make-base-layer.ts'
import type { BasesPulled } from './pull-base-images.ts'

/** If the worker dies while it delivers the input, the delivery is repeated in a fresh sandbox. */
const maxDeliveries = 5

export interface BuilderEnded {
  sandboxId: string
  exit: SandboxExit
  /** Bytes of the earlier log that the script printed first. */
  printedBytes: number
}

type Needs = Validated & BasesPulled & NetworkChosen & StagesReady & BaseLayerReady

/** Runs the rest of the Dockerfile in a sandbox, or finds the one that an earlier worker started, and waits for its end. */
export const runBuilder: Step<Needs, BuilderEnded> = {
  name: 'run_builder',
  stage: 'customer_build',
  async run(build, values) {
    const { request, signal, tools } = build
    const { executor } = tools
    const present = new Set((await executor.list()).map((sandbox) => sandbox.id))
    const { ahead, ...earlier } = await earlierOutput(build, values)
    for (let delivery = 1; delivery <= maxDeliveries; delivery += 1) {
      const id = deliverySandboxId(request.attemptId, delivery)
      offerLog(build, { sandboxId: id, ahead })
      if (!present.has(id)) {
        const { bases, network, baseLayer, finalBase } = values
        const layerBase = baseLayer && (finalBase ?? undefined)
        const spec = buildSandbox({ id, profile: request.buildProfile, bases, network, layerBase })
        const open = async () => ({ bytes: builderInput(build, values, { earlier }) })
        await startSandbox(build, spec, { open })
      }
      tools.readers.prepareForImage()
      const exit = await executor.wait(id, signal)
      // The shim reports this, not the build, so that no build can cause endless retries.
      if (!programNeverStarted(exit)) return { sandboxId: id, exit, printedBytes: earlier.log.length }
    }
    throw new BuildFailed('platform_failed', 'context_not_delivered')
  },
}

/**
 * The log of the stage that was built separately (its newest part, after `ahead` dropped bytes), and notes on cached
 * stages, for the author.
 */
async function earlierOutput(
  { request, tools }: Build,
  { cachedStages, stageSandbox }: StagesReady,
): Promise<EarlierOutput & { ahead: number }> {
  const { start: ahead, bytes: log } = stageSandbox
    ? await tools.executor.logSince(stageSandbox, 0)
    : { start: 0, bytes: Buffer.alloc(0) }
  const isCached = !stageSandbox || cachedStages.some(({ attemptId }) => attemptId === request.attemptId)
  const again = isCached ? '' : 'These instructions could not be cached: they run again with the rest.\n'
  const lines = cachedStages.map(
    ({ stage, count, attemptId }) =>
      `Stage ${stage + 1} starts from the cached result of its first ${count} instructions in build ${attemptId}.\n`,
  )
  return { ahead, log: Buffer.concat([log, Buffer.from(again)]), notes: lines.join('') }
}
