import { Readable } from 'node:stream'
import { isDeepStrictEqual } from 'node:util'
import { endedUnbegun, type SandboxExit } from '../../executor/port.ts'
import { ArchiveRefused } from '../archive/archive-refused.ts'
import { takeBases } from '../bases/take-bases.ts'
import { BuildFailed } from '../build-failed.ts'
import { readOrigins } from '../build-origins.ts'
import { buildSandbox, maxImageConfigBytes } from '../build-sandbox.ts'
import { buildExitCodes } from '../build-script.ts'
import { builderInput, partialBuild } from '../builder-input.ts'
import { readBuilderSteps } from '../builder-steps.ts'
import { reuseImage } from '../cache/reuse-image.ts'
import { readImageConfig } from '../image-config.ts'
import { quarantineKey } from '../oci-layout.ts'
import { offerLog } from '../offer-log.ts'
import type { Beginning } from '../prefixes/deliver-prefixes.ts'
import { forgetPrefixes, noteBuilt, takePrefixes } from '../prefixes/take-prefixes.ts'
import { ranOutOfDisk } from '../ran-out-of-disk.ts'
import { storeProven } from '../reader/store-proven.ts'
import { storeBuildLog } from '../store-build-log.ts'
import { contextSource, formatOf } from './context-validator.ts'
import { startSandbox } from './start-sandbox.ts'
import { type Build, type BuildStep, found } from './step.ts'

/** A delivery that breaks off with its worker is made again, in a fresh sandbox. */
const maxDeliveries = 5

/**
 * Runs the Dockerfile in a sandbox and takes over what comes out: the flat image is checked and compressed while it
 * streams into quarantine, so the bytes that are stored are the bytes that were checked. Nothing is run for an image that
 * the company has already.
 */
export const customerBuild: BuildStep = {
  stage: 'customer_build',
  attemptStates: ['build_queued', 'building'],
  versionStates: ['building'],
  async run(build: Build) {
    await takeBases(build)
    if (await reuseImage(build)) return
    await takePrefixes(build)
    const sandboxId = await deliver(build)
    const { executor } = build.tools
    await keepLog(build, sandboxId)
    const exit = await executor.wait(sandboxId, build.signal)
    const failure = failureOf(exit, await ranOutOfDisk(executor, sandboxId, exit))
    if (failure) throw await explained(build, { sandboxId, exit, failure })
    await noteBuilt(build)
    await takeOrigins(build, sandboxId)
    build.findings.imageConfig = await takeConfig(build, sandboxId, exit)
    await takeImage(build, sandboxId, exit)
  },
}

/** Starts the build, or finds the one that an earlier worker started, and waits for its end. */
async function deliver(build: Build): Promise<string> {
  const { executor } = build.tools
  const present = new Set((await executor.list()).map((sandbox) => sandbox.id))
  const { ahead, ...beginning } = await beginningOf(build)
  build.findings.printedBytes = beginning.log.length
  for (let delivery = 1; delivery <= maxDeliveries; delivery += 1) {
    const id = buildSandboxId(build.order.attemptId, delivery)
    offerLog(build, { sandboxId: id, ahead })
    if (!present.has(id)) {
      const profile = build.order.buildProfile
      const spec = buildSandbox({ id, profile, bases: found(build, 'bases') })
      const input = { prefixes: found(build, 'prefixes'), beginning }
      await startSandbox(build, spec, builderInput(build, input))
    }
    const exit = await executor.wait(id, build.signal)
    // The keeper's own word: a build that could say so itself would be made again and again.
    if (!endedUnbegun(exit)) return id
  }
  throw new BuildFailed('platform_failed', 'context_not_delivered')
}

/**
 * What the author reads of a beginning that is not built again, or was built by itself: the newest part of its log, which
 * `ahead` bytes were before.
 */
async function beginningOf({ order, findings, tools }: Build): Promise<Beginning & { ahead: number }> {
  const { prefixes = [], prefixSandbox } = findings
  const { start: ahead, bytes: log } = prefixSandbox
    ? await tools.executor.logSince(prefixSandbox, 0)
    : { start: 0, bytes: Buffer.alloc(0) }
  const isKept = !prefixSandbox || prefixes.some(({ attemptId }) => attemptId === order.attemptId)
  const again = isKept ? '' : 'Nothing of this is kept: it is done once more, with the rest.\n'
  const lines = prefixes.map(
    ({ stage, count, attemptId }) =>
      `Stage ${stage + 1} begins with what its first ${count} instructions made in build ${attemptId}.\n`,
  )
  return { ahead, log: Buffer.concat([log, Buffer.from(again)]), told: lines.join('') }
}

const isDelivery = /_\d$/
const isPrefix = /_prefix_[0-9a-f]+$/
const buildSandboxId = (attemptId: string, delivery: number) => `${attemptId}_${delivery}`

/** `told` comes behind what was printed. */
async function keepLog(
  build: Pick<Build, 'order' | 'tools' | 'db'>,
  sandboxId: string,
  told = '',
): Promise<void> {
  const printed = await build.tools.executor.log(sandboxId)
  const log = async function* () {
    yield* printed
    if (told !== '') yield Buffer.from(told)
  }
  await storeBuildLog(build, Readable.from(log()))
}

/** Keeps what a build has printed that was cut off on its way. */
export async function keepBuildLog(build: Pick<Build, 'order' | 'tools' | 'db'>): Promise<void> {
  const ids = await sandboxIds(build)
  const last = ids.findLast((id) => isDelivery.test(id)) ?? ids.findLast((id) => isPrefix.test(id))
  if (last !== undefined) await keepLog(build, last)
}

/** Ends whatever sandboxes an attempt has, and removes what they left. */
export async function removeBuildSandboxes(build: Pick<Build, 'order' | 'tools'>): Promise<void> {
  const { tools } = build
  for (const id of await sandboxIds(build)) {
    await tools.executor.stop(id)
    await tools.executor.wait(id)
    await tools.executor.remove(id)
  }
}

async function sandboxIds({ order, tools }: Pick<Build, 'order' | 'tools'>): Promise<string[]> {
  const ids = (await tools.executor.list()).map(({ id }) => id)
  return ids.filter((id) => id.startsWith(`${order.attemptId}_`)).toSorted()
}

function failureOf(exit: SandboxExit, hadNoDisk: boolean): BuildFailed | undefined {
  if (exit.cause === 'out_of_memory') return new BuildFailed('build_out_of_memory')
  if (exit.cause === 'deadline') return new BuildFailed('build_timeout')
  if (exit.cause === 'stopped') return new BuildFailed('tenant_cancel')
  if (exit.cause === 'lost' || exit.cause === 'start_failed') {
    return new BuildFailed('platform_failed', exit.detail || exit.cause)
  }
  if (exit.exitCode === 0) return undefined
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
  if (exit.exitCode === buildExitCodes.contextNotUnpacked)
    return new BuildFailed('platform_failed', 'context_not_delivered')
  if (exit.exitCode === buildExitCodes.exportFailed)
    return new BuildFailed('context_invalid', 'image_export_failed')
  return new BuildFailed('dockerfile_exit')
}

/** A failure with the instruction that was at work, where the builder had come to one; how far it came is noted. */
async function explained(
  build: Build,
  { sandboxId, exit, failure }: { sandboxId: string; exit: SandboxExit; failure: BuildFailed },
): Promise<BuildFailed> {
  const { order, tools } = build
  const steps = await readBuilderSteps(tools.executor, sandboxId, exit)
  if (!steps || failure.detail !== '') return failure
  const source = contextSource(order, tools)
  const prefixes = found(build, 'prefixes')
  const place = { steps, partial: partialBuild(prefixes) }
  const instruction = await tools.readers.findInstruction(source, formatOf(order), place).catch(lostReader)
  if (instruction) await noteBuilt(build, instruction)
  // A stage that does not even begin has nothing to begin with.
  if (!instruction || instruction.text.startsWith('FROM ')) await forgetPrefixes(build)
  return instruction ? new BuildFailed(failure.code, `line_${instruction.line}`, instruction) : failure
}

/** The archive was accepted before: a reader that dies of it now costs the line and no more. */
function lostReader(error: unknown): undefined {
  if (!(error instanceof ArchiveRefused)) throw error
}

async function takeOrigins({ findings, tools }: Build, sandboxId: string): Promise<void> {
  const { bases = [], prefixes = [], printedBytes: behind = 0 } = findings
  const log = await tools.executor.log(sandboxId)
  const origins = await readOrigins(log, { bases, prefixes: prefixes.length, behind })
  if (!origins) throw new BuildFailed('platform_failed', 'builder_unknown')
  // So it is with prefixes: what is attested is what the builder was given.
  if (prefixes.some(({ stage, manifestDigest }) => origins.prefixes.get(stage) !== manifestDigest)) {
    throw new BuildFailed('platform_failed', 'prefix_changed')
  }
  findings.builderVersion = origins.builderVersion
  findings.baseImages = origins.baseImages
  for (const { name, digest } of findings.pulled ?? []) {
    const built = origins.baseImages.find((base) => base.name === name)
    // The attempt's builder began before its worker died, and was given what the name meant then.
    if (built?.digest !== digest) throw new BuildFailed('platform_failed', 'base_image_changed')
  }
  // The operator may have replaced one in between: what was built then is not what the key says.
  if (!isDeepStrictEqual(findings.cacheEntry?.baseImages, origins.baseImages)) delete findings.cacheEntry
}

async function takeConfig({ tools }: Build, sandboxId: string, exit: SandboxExit) {
  if (exit.files.config?.status !== 'present')
    throw new BuildFailed('context_invalid', 'image_config_malformed')
  const bytes = Buffer.concat(await (await tools.executor.file(sandboxId, 'config')).toArray())
  return readImageConfig(bytes.subarray(0, maxImageConfigBytes))
}

async function takeImage(build: Build, sandboxId: string, exit: SandboxExit): Promise<void> {
  const { order, findings, tools } = build
  const status = exit.files.image?.status
  if (status === 'too_large') throw new BuildFailed('context_invalid', 'image_too_large')
  if (status !== 'present') throw new BuildFailed('context_invalid', 'image_missing')
  try {
    await tools.readers.again(async () => {
      const { stored, report } = await storeProven(tools, {
        sandboxId,
        key: quarantineKey(order.versionId),
        read: () => tools.readers.readImage(),
        compressed: true,
        signal: build.signal,
      })
      findings.layer = { ...stored, diffId: report.digest }
      findings.unpackedBytes = report.unpackedBytes
    })
  } catch (error) {
    if (!(error instanceof ArchiveRefused)) throw error
    await keepLog(build, sandboxId, error.explanation('image'))
    throw new BuildFailed('context_invalid', error.errorDetail)
  }
}
