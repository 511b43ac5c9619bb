import { Readable } from 'node:stream'
import { driverOf } from '@sandbox-jobs/contract/resources/runtime-contract.ts'
import { ImageUntrusted } from '../builds/provenance/verify-image.ts'
import type { AttestedImage } from '../builds/stored-images.ts'
import type { SandboxSpec } from '../executor/port.ts'
import { sandboxOwner } from '../executor/sandbox-owner.ts'
import type { ObjectStorage } from '../storage/port.ts'
import { bootInput, bootInputWith, type Job } from './boot-program.ts'
import type { ClaimedRun } from './claim-store.ts'
import type { RunJob } from './job-store.ts'
import { exportableEnv, isValidEnv } from './ordinary-env.ts'
import type { PlacedImages } from './placed-images.ts'
import { bundleBlocks, checkRunBundle } from './run-bundle.ts'
import { networkOfRun } from './run-network.ts'
import { failed, type RunOutcome } from './run-outcome.ts'
import { runSandbox } from './run-sandbox.ts'

/** What the executor is given for a run, or why the run ends before it. */
export type PreparedRun =
  | {
      kind: 'sandbox'
      spec: SandboxSpec
      openStdin: () => Buffer | Readable
      /** Values that the log is not to show. */
      masked: string[]
      image: AttestedImage
    }
  | { kind: 'refused'; outcome: RunOutcome }

interface PrepareDeps {
  storage: ObjectStorage
  images: Pick<PlacedImages, 'attested'>
  /** Bytes that a run may send; without, no run has a network. */
  egressCapBytes?: number | undefined
}

const refused = (outcome: RunOutcome): PreparedRun => ({ kind: 'refused', outcome })

/**
 * Decides a claimed run by what it is made of now: things may have changed since it was queued. Throws what the store
 * throws when it cannot be read.
 */
export async function prepareRun(
  { storage, images, egressCapBytes }: PrepareDeps,
  job: RunJob,
  { sandboxId, companyId }: Pick<ClaimedRun, 'sandboxId' | 'companyId'>,
): Promise<PreparedRun> {
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
  if (job.input === null) return refused(failed('storage_lost', { detail: 'input' }))
  const secrets = job.secret_slot_declarations?.length ?? 0
  if (secrets > 0) {
    const code = isValidEnv(job.ordinary_env, secrets) ? 'secret_missing' : 'env_invalid'
    return refused(failed(code))
  }
  const { layer_digest: layerDigest, promoted_digest: promotedDigest, environment_version_id: id } = job
  if (layerDigest === null || promotedDigest === null) {
    return refused(failed('image_unavailable', { detail: 'no_layer' }))
  }
  // The row says what would run; only what a trusted key signed for this very version does.
  const image = await images.attested({ id, layerDigest, promotedDigest }).catch((error: unknown) => {
    if (error instanceof ImageUntrusted) return error
    throw error
  })
  if (image instanceof ImageUntrusted) return refused(failed('image_unavailable', { detail: image.slug }))
  const spec = runSandbox({
    sandboxId,
    claimedAt: job.claimed_at,
    layerDigest: image.layer.diffId,
    resourceProfile: job.resource_profile,
    imageUser: image.user,
    isolation: job.isolation,
    timeoutSeconds: job.timeout_seconds,
    network: networkOfRun(job, egressCapBytes),
    owner: sandboxOwner(companyId),
  })
  // A version that declares secrets was refused above.
  const boot: Job = {
    secrets: {},
    imageEnv: image.env,
    env: exportableEnv(job.ordinary_env),
    startupScript: job.startup_script,
    workScript: job.work_script,
    driver: driverOf(job.work_command),
    input: job.input,
  }
  const masked = Object.values(boot.secrets)
  const { bundle } = job
  if (bundle === null) {
    const stdin = bootInput(boot)
    return { kind: 'sandbox', spec, openStdin: () => stdin, masked, image }
  }
  const unusable = await checkRunBundle(storage, bundle)
  if (unusable) return refused(unusable)
  const openStdin = () => Readable.from(bootInputWith(boot, bundleBlocks(storage, bundle)))
  return { kind: 'sandbox', spec, openStdin, masked, image }
}
