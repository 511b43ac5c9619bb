import { createInterface } from 'node:readline'
import type { ResultPort } from '../../../../agent/port/results.ts'
import type { SandboxExit } from '../../../../agent/port/sandbox-exit.ts'
import type { BuilderSteps } from '../../../../reader/dockerfile/failed-instruction.ts'
import { ArchiveRefused } from '../../../../reader/formats/archive-refused.ts'
import { buildExitCodes, builderEnded } from '../../builder/build-script.ts'
import { partialBuild } from '../../builder/builder-input.ts'
import { stagePoints } from '../../cache/cached-stage.ts'
import { recordBuiltStages } from '../../cache/cached-stage-store.ts'
import type { Build } from '../../request/build.ts'
import { BuildFailed } from '../../request/build-failed.ts'
import { contextSource, formatOf } from '../../request/build-request.ts'
import { notCollected, ranOutOfDisk } from '../../sandboxes/sandbox-end.ts'
import type { Step } from '../step.ts'
import type { Validated } from '../validate-context.ts'
import type { Keyed, NetworkChosen } from './image-inputs.ts'
import { forgetStage, type StagesReady } from './load-cached-stages.ts'
import type { BuilderEnded } from './run-builder.ts'

type Needs = Validated & Keyed & NetworkChosen & StagesReady & BuilderEnded

/** Fails the build if the builder failed, and records the builder's progress for the layer cache of the next build. */
export const checkBuilderExit: Step<Needs, void> = {
  name: 'check_builder_exit',
  stage: 'customer_build',
  async run(build, values) {
    const { sandboxId, exit } = values
    const failure = failureOf(exit, await ranOutOfDisk(build.tools.executor, sandboxId, exit))
    if (failure) throw await withInstruction(build, values, failure)
    await recordBuilt(build, values)
  },
}

function failureOf(exit: SandboxExit, hadNoDisk: boolean): BuildFailed | undefined {
  if (exit.cause === 'out_of_memory') return new BuildFailed('build_out_of_memory')
  if (exit.cause === 'deadline') return new BuildFailed('build_timeout')
  if (exit.cause === 'egress_cap') return new BuildFailed('egress_cap_exceeded')
  if (exit.cause === 'stopped') return new BuildFailed('tenant_cancel')
  if (exit.cause === 'lost' || exit.cause === 'start_failed') {
    return new BuildFailed('platform_failed', exit.detail || exit.cause)
  }
  if (exit.exitCode === 0) return notCollected(exit)
  if (exit.exitCode === buildExitCodes.builderUnknown) {
    return new BuildFailed('platform_failed', 'builder_version_unknown')
  }
  if (exit.exitCode === buildExitCodes.baseImageUnavailable) {
    return new BuildFailed('dockerfile_exit', 'base_image_unavailable')
  }
  if (exit.exitCode === buildExitCodes.onbuildForbidden)
    return new BuildFailed('policy_reject', 'onbuild_forbidden')
  if (hadNoDisk) return new BuildFailed('build_disk_full')
  if (exit.exitCode === buildExitCodes.baseImageMalformed)
    return new BuildFailed('policy_reject', 'base_image_malformed')
  if (exit.exitCode === buildExitCodes.whiteoutName)
    return new BuildFailed('context_invalid', new ArchiveRefused('image_whiteout').errorDetail)
  if (exit.exitCode === buildExitCodes.workspaceFilled)
    return new BuildFailed('context_invalid', 'image_workspace_filled')
  if (exit.exitCode === buildExitCodes.contextNotUnpacked)
    return new BuildFailed('platform_failed', 'context_not_delivered')
  if (exit.exitCode === buildExitCodes.exportFailed)
    return new BuildFailed('context_invalid', 'image_export_failed')
  return new BuildFailed('dockerfile_exit')
}

/** Adds the failed instruction to the failure, if the builder had started one, and records the builder's progress. */
async function withInstruction(build: Build, values: Needs, failure: BuildFailed): Promise<BuildFailed> {
  const { request, tools } = build
  const { sandboxId, exit, cachedStages } = values
  const steps = await readBuilderSteps(tools.executor, sandboxId, exit)
  if (!steps || failure.detail !== '') return failure
  const source = contextSource(request, tools.storage)
  const progress = { steps, partial: partialBuild(values) }
  const instruction = await tools.readers
    .findInstruction(source, formatOf(request), progress)
    .catch(ignoreRefusal)
  if (instruction) await recordBuilt(build, values, instruction)
  // If the builder could not start a stage, its cached layers may be the cause.
  if (!instruction || instruction.text.startsWith('FROM ')) {
    for (const stage of cachedStages) await forgetStage(build, stage)
  }
  return instruction ? new BuildFailed(failure.code, `line_${instruction.line}`, instruction) : failure
}

/** The archive was accepted before. If a reader dies now, only the line number is missing. */
function ignoreRefusal(error: unknown): undefined {
  if (!(error instanceof ArchiveRefused)) throw error
}

/** Records the cache points that the builder passed: all, or those before the instruction at `failed`. */
async function recordBuilt(build: Build, values: Needs, failed?: { line: number }): Promise<void> {
  const points = stagePoints(build, values).filter(({ line }) => !failed || line < failed.line)
  if (points.length === 0) return
  await recordBuiltStages(
    build.db,
    build.request.environmentId,
    points.map(({ key }) => key),
  )
}

/** Reads the builder's progress; undefined when the file is missing, or longer than any Dockerfile can make it. */
async function readBuilderSteps(
  executor: Pick<ResultPort, 'file'>,
  sandboxId: string,
  exit: SandboxExit,
): Promise<BuilderSteps | undefined> {
  if (exit.files.steps?.status !== 'present') return undefined
  const steps: BuilderSteps = { lines: 0, hasEnded: false }
  const input = await executor.file(sandboxId, 'steps')
  try {
    for await (const line of createInterface({ input })) {
      if (line === builderEnded) return { ...steps, hasEnded: true }
      steps.lines += 1
    }
    return steps
  } finally {
    input.destroy()
  }
}
