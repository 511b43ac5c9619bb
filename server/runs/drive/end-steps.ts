import { SandboxUnknown } from '../../../agent/port/errors.ts'
import { programNeverStarted, type SandboxExit } from '../../../agent/port/sandbox-exit.ts'
import type { SavedSession, SessionRefusal } from '../../sessions/runs/save-session.ts'
import type { ClaimedRun } from '../model/claimed-run.ts'
import { failed } from '../model/run-outcome.ts'
import { changesSession, folderRefusalOf } from '../parts/session/session-refusal.ts'
import { type Collected, collectRun, discardCollected } from '../results/collect-run.ts'
import { contentBytes } from '../results/storage-reservations.ts'
import { type Drive, isOwnershipLost } from './drive.ts'
import { outcomeOf, outcomeWithoutResults, outcomeWithSession } from './outcome-of-exit.ts'
import { over, type Results, type RunStep } from './progress.ts'
import { describe, whileCollecting } from './retry-policies.ts'
import { maxStartAttempts, requeue } from './start-steps.ts'

const noResults: Collected = { output: null, log: null, bundle: null, artifacts: [] }

export const report: RunStep<'started'> = async (drive) => {
  drive.reportRunning()
  return { at: 'waiting' }
}

/** Waits for the exit record. A cancel stops the sandbox. */
export const awaitExit: RunStep<'waiting'> = async (drive) => {
  const { executor } = drive.deps
  const stop = () => void drive.stopSandbox()
  drive.cancel.addEventListener('abort', stop, { once: true })
  if (drive.isCancelled) stop()
  try {
    const wait = () => executor.wait(drive.run.sandboxId, drive.signal)
    return { at: 'exited', exit: await drive.retry('wait', wait) }
  } catch (error) {
    if (!(error instanceof SandboxUnknown)) throw error
    await drive.endReport()
    const outcome = failed('host_lost', { detail: 'sandbox_unknown' })
    return { at: 'decided', end: { outcome }, residue: 'nothing' }
  } finally {
    drive.cancel.removeEventListener('abort', stop)
  }
}

export const collect: RunStep<'exited'> = async (drive, { exit }) => {
  const results = mayStartAgain(drive.run, exit) ? noResults : await collectResults(drive, exit)
  return { at: 'collected', exit, results }
}

async function collectResults(drive: Drive, exit: SandboxExit): Promise<Results> {
  const { deps, run } = drive
  const bytes = contentBytes(exit)
  if (!(await drive.reserveStorage(bytes))) return 'no_space'
  const endTurn = await deps.resultTurns.take(run.companyId, bytes, drive.signal)
  try {
    const saved = await drive.retry('save the session', () => saveLeftSession(drive, exit), whileCollecting)
    const source = { runId: run.id, sandboxId: run.sandboxId, exit, sessionRefusal: saved?.refusal }
    const results = await drive.retry('collect', () => collectRun(deps, source), whileCollecting)
    return { ...results, session: saved?.session }
  } catch (error) {
    if (isOwnershipLost(error)) throw error
    drive.log.error({ error: describe(error) }, 'the results of the run cannot be stored')
    return 'lost'
  } finally {
    endTurn()
  }
}

/** Stores what the run left in its session. Undefined where the session stays as it was. */
async function saveLeftSession(
  { deps, run }: Drive,
  exit: SandboxExit,
): Promise<{ session?: SavedSession; refusal?: SessionRefusal } | undefined> {
  const { executor, sessions, storageReservations } = deps
  if (!sessions || !changesSession(exit)) return undefined
  const refusal = folderRefusalOf(exit)
  if (refusal) return { refusal }
  const { id: runId, companyId, sandboxId } = run
  const left = { runId, companyId, sandboxId, open: () => executor.folder(sandboxId) }
  const saved = await sessions.save(left, (company, bytes) => storageReservations.reserve(company, bytes))
  if (!saved) return undefined
  return 'rule' in saved ? { refusal: saved } : { session: saved }
}

/** Its program never started, and attempts are left. */
const mayStartAgain = ({ fence }: ClaimedRun, exit: SandboxExit): boolean =>
  programNeverStarted(exit) && fence < maxStartAttempts

/** Decides how the run ends, or queues it again if its program never started. */
export const decide: RunStep<'collected'> = async (drive, { exit, results }) => {
  await drive.endReport()
  if (mayStartAgain(drive.run, exit)) {
    const status = await requeue(drive)
    // The current holder of the run still needs the exit record.
    if (status === 'lost') return over
    if (status === 'cancel_requested')
      return { at: 'decided', end: { outcome: failed('cancelled') }, residue: 'sandbox' }
    if (status !== 'running') return { at: 'finished', residue: 'sandbox' }
  }
  if (exit.cause === 'stopped' && !drive.isCancelled) await checkForCancel(drive)
  const own = outcomeOf(exit, drive.isCancelled)
  if (typeof results !== 'string') {
    const outcome = outcomeWithSession(own, results.sessionRefusal?.rule)
    const residue = results.session ? 'session and sandbox' : 'sandbox'
    return { at: 'decided', end: { outcome, exit, results }, residue }
  }
  const residue = results === 'lost' ? 'sandbox and parts' : 'sandbox'
  return { at: 'decided', end: { outcome: outcomeWithoutResults(own, results), exit }, residue }
}

/** An earlier holder of the run may have received the cancel notification and stopped the sandbox. */
async function checkForCancel(drive: Drive): Promise<void> {
  const { deps, run } = drive
  const requested = await drive.retry('check for a cancel', () => deps.runs.cancelRequestedAmong([run.id]))
  if (requested.length > 0) drive.markCancelled()
}

/** Ends the run in one transaction, unless it has already ended or belongs to another worker. */
export const finish: RunStep<'decided'> = async (drive, { end, residue }) => {
  const { deps, run } = drive
  if (await drive.retry('finish', () => deps.runs.finish(run, end))) return { at: 'finished', residue }
  // The current holder of the run still needs the results of the sandbox.
  drive.log.warn({ state: end.outcome.state }, 'run has already ended or belongs to another worker')
  return over
}

/** The sweep removes later whatever this step fails to remove. */
export const cleanUp: RunStep<'finished'> = async ({ deps, run, log }, { residue }) => {
  const source = { runId: run.id, sandboxId: run.sandboxId }
  if (residue === 'sandbox and parts') await discardCollected(deps.storage, source)
  if (residue === 'nothing') return over
  if (residue === 'session and sandbox') await deps.sessions?.removeUnused(run.companyId)
  await deps.executor.remove(run.sandboxId).catch((error: unknown) => {
    log.warn({ error: describe(error) }, 'sandbox not removed yet')
  })
  return over
}
