import { ExecutorRefused, ExecutorUnavailable } from '../../../agent/port/errors.ts'
import { neverStarted, noCapacity } from '../../../agent/port/refusal-causes.ts'
import { claimExpired } from '../../../agent/port/start-in-time.ts'
import { ImageUntrusted } from '../../images/provenance/verify-image.ts'
import { ObjectMissing } from '../../storage/port.ts'
import type { ClaimedRun, ClaimStatus } from '../model/claimed-run.ts'
import { failed, type RunOutcome } from '../model/run-outcome.ts'
import { runParts } from '../parts/run-parts.ts'
import { type PreparedRun, prepareRun } from '../prepare/prepare-run.ts'
import { StartWithdrawn } from '../prepare/run-input.ts'
import { type Drive, isOwnershipLost } from './drive.ts'
import { nothingLeft, over, type Progress, type RunStep } from './progress.ts'
import { describe, whilePreparing, whileStarting } from './retry-policies.ts'

/** Claims after which a sandbox that always ends before its program starts is no longer retried. */
export const maxStarts = 5

const ended = (outcome: RunOutcome): Progress<'decided'> => ({
  at: 'decided',
  end: { outcome },
  residue: nothingLeft,
})

/** Reads the run and decides by its current data whether it may start. */
export const prepare: RunStep<'claimed'> = async (drive) => {
  const { deps, run } = drive
  await drive.beginStart()
  const job = await drive.retry('read the job', () => deps.runs.findJob(run))
  if (!job) return ended(failed('platform_internal', { detail: 'job_missing' }))
  const prepareJob = () => prepareRun(deps, job, run)
  const prepared = await drive.retry('prepare', prepareJob, whilePreparing).catch(endedByPart)
  return prepared.kind === 'refused' ? ended(prepared.outcome) : { at: 'prepared', ...prepared }
}

/** A part that stays unavailable may end a run: the run would keep its slot while those of other companies wait. */
function endedByPart(error: unknown): PreparedRun {
  const outcome = runParts.map(({ endedBy }) => endedBy?.(error)).find((found) => found !== undefined)
  if (!outcome) throw error
  return { kind: 'refused', outcome }
}

/** Installs the image and starts the sandbox. */
export const start: RunStep<'prepared'> = async (drive, { image, spec, input }) => {
  const { executor, images } = drive.deps
  for (let isLastTry = false; ; isLastTry = true) {
    try {
      await drive.retry('install the image', () => images.ensure(image), whileStarting)
    } catch (error) {
      if (isOwnershipLost(error)) throw error
      if (error instanceof ExecutorUnavailable) return requeueUnlessStarted
      drive.log.error({ error: describe(error) }, 'image cannot be installed')
      return { at: 'startUnknown', otherwise: failed('image_unavailable', { detail: reasonOf(error) }) }
    }
    try {
      const startSandbox = async (): Promise<Progress<'started' | 'startUnknown'>> => {
        // A run that waits for a full or unavailable host can still be cancelled.
        if (drive.isCancelled) return { at: 'startUnknown', otherwise: failed('cancelled') }
        try {
          await executor.start(spec, input)
          return { at: 'started' }
        } catch (error) {
          if (error instanceof StartWithdrawn) return { at: 'startUnknown', otherwise: error.change }
          throw error
        }
      }
      return await drive.retry('start', startSandbox, whileStarting)
    } catch (error) {
      if (error instanceof ExecutorUnavailable) return requeueUnlessStarted
      if (!(error instanceof ExecutorRefused)) throw error
      if (mayStartLater(error, drive.run)) return requeueUnlessStarted
      drive.log.warn({ slug: error.slug }, 'start refused')
      // The executor may have lost an image that it had.
      images.forget(image)
      if (isLastTry)
        return { at: 'startUnknown', otherwise: failed('runtime_start_failed', { detail: error.slug }) }
    }
  }
}

export const requeueUnlessStarted: Progress<'startUnknown'> = { at: 'startUnknown', otherwise: 'requeue' }

/** An expired claim may be retried because the next claim is younger, unless the clocks of database and host differ. */
const mayStartLater = ({ slug }: ExecutorRefused, { fence }: ClaimedRun): boolean =>
  slug === noCapacity || slug === neverStarted || (slug === claimExpired && fence < maxStarts)

/** Slug of the reason why an image could not be installed. */
function reasonOf(error: unknown): string {
  if (error instanceof ImageUntrusted) return error.slug
  return error instanceof ObjectMissing ? 'missing' : 'refused'
}

/** Forbids the sandbox, which fails if it was started. After success it can never start. */
export const resolveStart: RunStep<'startUnknown'> = async (drive, { otherwise }) => {
  const { executor } = drive.deps
  const { sandboxId } = drive.run
  if (await drive.retry('forbid', () => executor.forbid(sandboxId))) {
    // The forbidden mark stays: a start request that is still in flight must find it.
    if (otherwise !== 'requeue') return ended(otherwise)
    return (await requeue(drive)) === 'cancel_requested' ? ended(failed('cancelled')) : over
  }
  const sandboxes = await drive.retry('list', () => executor.list())
  const hasExited = sandboxes.some(({ id, state }) => id === sandboxId && state === 'exited')
  // An exited sandbox is not reported as running first: if its input was cut, it never ran.
  return { at: hasExited ? 'waiting' : 'started' }
}

/**
 * Returns the claim's status afterwards: `running` was not queued again, `lost` no longer belongs to this worker, and
 * `cancel_requested` must end as cancelled.
 */
export async function requeue(drive: Drive): Promise<ClaimStatus> {
  const { deps, run, isCancelled } = drive
  return isCancelled ? 'cancel_requested' : drive.retry('requeue', () => deps.runs.requeue(run))
}
