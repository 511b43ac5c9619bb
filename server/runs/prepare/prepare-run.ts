import { Readable } from 'node:stream'
import { driverOf } from '@sandbox-jobs/contract/resources/environments/runtime-contract.ts'
import type { KnownContent } from '../../../agent/port/known-contents.ts'
import { sandboxOwner } from '../../../agent/port/sandbox-owner.ts'
import type { SandboxSpec } from '../../../agent/port/sandbox-spec.ts'
import { fileTimeOf } from '../../../reader/formats/file-time.ts'
import type { CallbackAccess } from '../../custom-tables/callbacks/callback-credentials.ts'
import { ImageUntrusted } from '../../images/provenance/verify-image.ts'
import type { AttestedImage } from '../../images/stored-images.ts'
import { knownContents } from '../../sessions/runs/known-contents.ts'
import type { RunSessions } from '../../sessions/runs/run-sessions.ts'
import type { ObjectStorage } from '../../storage/port.ts'
import { slotNamesOf } from '../../tasks/versions/task-version.ts'
import type { ClaimedRun } from '../model/claimed-run.ts'
import { exportableEnv, isEnvName, isValidEnv, isWithinEnvBounds } from '../model/ordinary-env.ts'
import { failed, type RunOutcome } from '../model/run-outcome.ts'
import { bundleBlocks, checkRunBundle } from '../parts/bundle/bundle-part.ts'
import { checkRunFiles, fileBlocks } from '../parts/files/file-blocks.ts'
import type { RunOutputs } from '../parts/outputs/run-outputs.ts'
import { isPinned, type PinnedSecrets, type RunSecrets } from '../parts/secrets/run-secrets.ts'
import { type PreparedSession, sessionBlocks, sessionOf } from '../parts/session/session-blocks.ts'
import { collectedArtifactsDir } from './artifacts-folder.ts'
import { bootInput, bootInputWith, type Job } from './boot-program.ts'
import type { RunJob } from './job-store.ts'
import type { PlacedImages } from './placed-images.ts'
import { networkOfRun, withService } from './run-network.ts'
import { runSandbox } from './run-sandbox.ts'

/** The executor's input for a run, or the outcome of a run that must not start. */
export type PreparedRun =
  | {
      kind: 'sandbox'
      spec: SandboxSpec
      openStdin: () => Buffer | Readable
      /** Values that are masked in the log. */
      masked: string[]
      /** Contents of files that its session has. */
      known: KnownContent[]
      image: AttestedImage
      /** Undefined for a version that declares no slots. */
      secrets: PinnedSecrets | undefined
    }
  | { kind: 'refused'; outcome: RunOutcome }

interface PrepareDeps {
  storage: ObjectStorage
  images: Pick<PlacedImages, 'attested'>
  /** How long the processes of a run may go on after they were asked to end. Absent or 0: they are killed at once. */
  stopGraceMs?: number | undefined
  /** Bytes that a run may send. Absent: no run has a network. */
  egressCapBytes?: number | undefined
  /** Absent: no run of a version with slots can start. */
  secrets?: RunSecrets | undefined
  /** Absent: no run of a version with an output policy can start. */
  outputs?: RunOutputs | undefined
  /** Absent: no run with a session can start. */
  sessions?: RunSessions | undefined
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
  const secrets = await secretsOf(deps, job, run)
  if (secrets && !isPinned(secrets)) return refused(secrets)
  let isReady = false
  try {
    const prepared = await prepareSandbox(deps, { ...job, input }, { run, secrets })
    isReady = prepared.kind === 'sandbox'
    return prepared
  } finally {
    // A refused run shows what it was given, and one that is prepared again gets other pins.
    if (!isReady) await secrets?.written
  }
}

async function prepareSandbox(
  deps: PrepareDeps,
  job: RunJob & { input: Buffer },
  { run, secrets }: { run: ClaimedRun; secrets: PinnedSecrets | undefined },
): Promise<PreparedRun> {
  const { storage, images, egressCapBytes } = deps
  const { id: runId, sandboxId, companyId } = run
  const { layer_digest: layerDigest, promoted_digest: promotedDigest, environment_version_id: id } = job
  if (layerDigest === null || promotedDigest === null) {
    return refused(failed('image_unavailable', { detail: 'no_layer' }))
  }
  // The row only names the image. It runs only if a trusted key signed it for exactly this version.
  const image = await images.attested({ id, layerDigest, promotedDigest }).catch((error: unknown) => {
    if (error instanceof ImageUntrusted) return error
    throw error
  })
  if (image instanceof ImageUntrusted) return refused(failed('image_unavailable', { detail: image.slug }))
  const callback = await outputsOf(deps, job, run)
  if (callback && 'state' in callback) return refused(callback)
  const session = await sessionOf(deps, job, run)
  if (session && 'state' in session) return refused(session)
  const spec = runSandbox({
    sandboxId,
    claimedAt: job.claimed_at,
    layerDigest: image.installedDigest,
    resourceProfile: job.resource_profile,
    imageUser: image.user,
    isolation: job.isolation,
    timeoutSeconds: job.timeout_seconds,
    stopGraceMs: deps.stopGraceMs,
    network: callback ? withService(networkOfRun(job, egressCapBytes)) : networkOfRun(job, egressCapBytes),
    owner: sandboxOwner(companyId),
    artifactsDir: collectedArtifactsDir(job.door_kind),
    sessionBytes: session?.sizeLimitBytes,
  })
  const boot: Job = {
    secrets: secrets?.values ?? {},
    identity: {
      runId,
      chatroomId: job.chatroom_id,
      taskId: job.task_id,
      taskVersionId: job.task_version_id,
    },
    callback,
    imageEnv: image.env,
    env: exportableEnv(job.ordinary_env),
    startupScript: job.startup_script,
    workScript: job.work_script,
    driver: driverOf(job.work_command),
    input: job.input,
    claimedAt: job.claimed_at,
  }
  const masked = [...Object.values(boot.secrets), ...(callback ? [callback.token] : [])]
  const { bundle, files } = job
  if (bundle === null && files.length === 0 && !session) {
    const stdin = bootInput(boot)
    return { kind: 'sandbox', spec, openStdin: () => stdin, masked, known: [], image, secrets }
  }
  const unusable =
    (bundle && (await checkRunBundle(storage, bundle))) ?? (await checkRunFiles(storage, files))
  if (unusable) return refused(unusable)
  const openStdin = () => Readable.from(bootInputWith(boot, blocksOf(storage, job, session)))
  const known = session ? knownContents(session.tree) : []
  return { kind: 'sandbox', spec, openStdin, masked, known, image, secrets }
}

/** The files of the version, then those of the session and those of the run, which win. */
async function* blocksOf(
  storage: ObjectStorage,
  { bundle, files, claimed_at: claimedAt }: RunJob,
  session: PreparedSession | undefined,
): AsyncGenerator<Buffer, void> {
  const modifiedAt = fileTimeOf(claimedAt)
  if (bundle) yield* bundleBlocks(storage, bundle)
  if (session) yield* sessionBlocks(storage, session, modifiedAt)
  yield* fileBlocks(storage, files, modifiedAt)
}

/**
 * The secrets of a version that declares slots, which is when the rules of its environment are checked (contract part 1, "Task
 * version"). Undefined where it declares none; an outcome where the run ends.
 */
async function secretsOf(
  { secrets }: PrepareDeps,
  job: RunJob,
  run: ClaimedRun,
): Promise<PinnedSecrets | RunOutcome | undefined> {
  const slots = slotNamesOf(job.secret_slot_declarations)
  if (slots.length === 0) return undefined
  if (!slots.every(isEnvName) || !isValidEnv(job.ordinary_env, slots.length)) return failed('env_invalid')
  if (!secrets) return failed('secrets_unavailable', { detail: 'not_configured' })
  const pinned = await secrets.pin(run, slots)
  if (!isPinned(pinned) || isWithinEnvBounds(job.ordinary_env, pinned.values)) return pinned
  await pinned.written
  return failed('env_invalid', { detail: 'too_large' })
}

/** The access of a run with an output policy to what it may write; an outcome where the run ends. */
async function outputsOf(
  { outputs }: PrepareDeps,
  job: RunJob,
  run: ClaimedRun,
): Promise<CallbackAccess | RunOutcome | undefined> {
  if (job.output_policy === null) return undefined
  return outputs
    ? await outputs.access(run, job)
    : failed('secrets_unavailable', { detail: 'callbacks_not_configured' })
}
