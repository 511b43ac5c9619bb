import { driverOf } from '@sandbox-jobs/contract/resources/environments/runtime-contract.ts'
import { sandboxOwner } from '../../../agent/port/sandbox-owner.ts'
import type { SandboxSpec } from '../../../agent/port/sandbox-spec.ts'
import type { StartInput } from '../../../agent/port/start-input.ts'
import { ImageUntrusted } from '../../images/provenance/verify-image.ts'
import type { AttestedImage } from '../../images/stored-images.ts'
import type { ClaimedRun } from '../model/claimed-run.ts'
import { exportableEnv } from '../model/ordinary-env.ts'
import { collectedArtifactsDir } from '../model/result-layout.ts'
import { failed, type RunOutcome } from '../model/run-outcome.ts'
import { isOutcome, type PreparedPart } from '../parts/run-part.ts'
import { type PartTools, runParts } from '../parts/run-parts.ts'
import type { Job } from './boot-program.ts'
import type { RunJob } from './job-store.ts'
import type { PlacedImages } from './placed-images.ts'
import { runInput } from './run-input.ts'
import { networkOfRun, withService } from './run-network.ts'
import { runSandbox } from './run-sandbox.ts'

/** The executor's input for a run, or the outcome of a run that must not start. */
export type PreparedRun =
  | {
      kind: 'sandbox'
      spec: SandboxSpec
      input: StartInput
      image: AttestedImage
    }
  | { kind: 'refused'; outcome: RunOutcome }

export interface PrepareDeps extends PartTools {
  images: Pick<PlacedImages, 'attested'>
  /** How long the processes of a run may go on after they were asked to end. Absent or 0: they are killed at once. */
  stopGraceMs?: number | undefined
  /** Bytes that a run may send. Absent: no run has a network. */
  egressCapBytes?: number | undefined
}

const refused = (outcome: RunOutcome): PreparedRun => ({ kind: 'refused', outcome })

/**
 * Decides by its current data whether a claimed run may start, because the data may have changed since it was queued.
 * Throws the errors of the object store.
 */
export async function prepareRun(deps: PrepareDeps, job: RunJob, run: ClaimedRun): Promise<PreparedRun> {
  if (job.lost_authority) return refused(failed('authority_revoked', { detail: job.lost_authority }))
  if (job.content_state !== 'active') {
    return refused(failed('version_not_runnable', { detail: 'content_scrubbed' }))
  }
  if (job.task_state !== 'active' || job.version_state !== 'published') {
    return refused(failed('version_not_runnable', { detail: 'archived' }))
  }
  const blocked = [job.task_security_state, job.environment_security_state].includes('blocked')
  if (blocked) return refused(failed('version_not_runnable', { detail: 'security_blocked' }))
  if (!job.has_room) return refused(failed('storage_quota_exceeded', { detail: 'not_started' }))
  const { input } = job
  if (input === null) return refused(failed('storage_lost', { detail: 'input' }))
  const image = await imageOf(deps, job)
  if ('state' in image) return refused(image)
  const parts: PreparedPart[] = []
  const refusal = await prepareParts(deps, { job, run }, parts).catch(async (error: unknown) => {
    await writtenOf(parts)
    throw error
  })
  if (!refusal) return sandboxOf(deps, { ...job, input }, { run, image, parts })
  // A refused run shows what it was given, and one that is prepared again is given it anew.
  await writtenOf(parts)
  return refused(refusal)
}

/** The row only names the image. It runs only if a trusted key signed it for exactly this version. */
async function imageOf({ images }: PrepareDeps, job: RunJob): Promise<AttestedImage | RunOutcome> {
  const { layer_digest: layerDigest, promoted_digest: promotedDigest, environment_version_id: id } = job
  if (layerDigest === null || promotedDigest === null)
    return failed('image_unavailable', { detail: 'no_layer' })
  try {
    return await images.attested({ id, layerDigest, promotedDigest })
  } catch (error) {
    if (error instanceof ImageUntrusted) return failed('image_unavailable', { detail: error.slug })
    throw error
  }
}

/** Adds each part of the run to `parts`, until one refuses the start. */
async function prepareParts(
  deps: PrepareDeps,
  { job, run }: { job: RunJob; run: ClaimedRun },
  parts: PreparedPart[],
): Promise<RunOutcome | undefined> {
  for (const part of runParts) {
    const prepared = await part.prepare?.(deps, job, run)
    if (!prepared) continue
    if (isOutcome(prepared)) return prepared
    parts.push(prepared)
  }
  return undefined
}

const writtenOf = (parts: readonly PreparedPart[]): Promise<unknown> =>
  Promise.all(parts.flatMap(({ written }) => written ?? []))

function sandboxOf(
  deps: PrepareDeps,
  job: RunJob & { input: Buffer },
  { run, image, parts }: { run: ClaimedRun; image: AttestedImage; parts: readonly PreparedPart[] },
): PreparedRun {
  const { id: runId, sandboxId, companyId } = run
  const network = networkOfRun(job, deps.egressCapBytes)
  const spec = runSandbox({
    sandboxId,
    claimedAt: job.claimed_at,
    layerDigest: image.installedDigest,
    resourceProfile: job.resource_profile,
    imageUser: image.user,
    isolation: job.isolation,
    timeoutSeconds: job.timeout_seconds,
    stopGraceMs: deps.stopGraceMs,
    network: parts.some((part) => part.network === 'service') ? withService(network) : network,
    owner: sandboxOwner(companyId, 'runs'),
    artifactsDir: collectedArtifactsDir(job.door_kind),
    folder: parts.find(({ folder }) => folder)?.folder,
  })
  const boot: Job = {
    ...envOf(parts),
    identity: {
      runId,
      chatroomId: job.chatroom_id,
      taskId: job.task_id,
      taskVersionId: job.task_version_id,
    },
    imageEnv: image.env,
    env: exportableEnv(job.ordinary_env),
    startupScript: job.startup_script,
    workScript: job.work_script,
    driver: driverOf(job.work_command),
    input: job.input,
    claimedAt: job.claimed_at,
  }
  return { kind: 'sandbox', spec, input: runInput(boot, parts), image }
}

function envOf(parts: readonly PreparedPart[]): Pick<Job, 'secrets' | 'callback'> {
  const env: Pick<Job, 'secrets' | 'callback'> = { secrets: {} }
  for (const part of parts) Object.assign(env, part.env)
  return env
}
