import { SandboxUnknown } from '../../../agent/port/errors.ts'
import { programNeverStarted, type SandboxExit } from '../../../agent/port/sandbox-exit.ts'
import type { ClaimedRun } from '../model/claimed-run.ts'
import { failed } from '../model/run-outcome.ts'
import type { LeftPart } from '../parts/run-part.ts'
import { type LeftParts, type Part, runParts } from '../parts/run-parts.ts'
import { collectRun, discardCollected } from '../results/collect-run.ts'
import { contentBytes } from '../results/content-bytes.ts'
import { type Drive, isOwnershipLost } from './drive.ts'
import { outcomeOf, outcomeWithoutResults } from './outcome-of-exit.ts'
import { nothingLeft, over, type Results, type RunStep, sandboxLeft } from './progress.ts'
import { describe, whileCollecting } from './retry-policies.ts'
import { maxStarts, requeue } from './start-steps.ts'

const noResults = { output: null, log: null, bundle: null, artifacts: [], parts: new Map() }

export const report: RunStep<'started'> = async (drive) => {
  drive.endStart()
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
    return { at: 'decided', end: { outcome }, residue: nothingLeft }
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
  const release = await deps.resultQueue.take(run.companyId, bytes, drive.signal)
  try {
    const parts = await collectParts(drive, exit)
    const lastLines = [...parts.values()].map(({ line = '' }) => line).join('')
    const source = { runId: run.id, sandboxId: run.sandboxId, exit, lastLines }
    const results = await drive.retry('collect', () => collectRun(deps, source), whileCollecting)
    return { ...results, parts }
  } catch (error) {
    if (isOwnershipLost(error)) throw error
    drive.log.error({ error: describe(error) }, 'the results of the run cannot be stored')
    return 'lost'
  } finally {
    release()
  }
}

async function collectParts(drive: Drive, exit: SandboxExit): Promise<LeftParts> {
  const parts = new Map<Part, LeftPart>()
  for (const part of runParts) {
    const store = async () => part.collect?.(drive.deps, drive.run, exit)
    const left = await drive.retry(`collect the ${part.name}`, store, whileCollecting)
    if (left) parts.set(part, left)
  }
  return parts
}

/** Its program never started, and attempts are left. */
const mayStartAgain = ({ fence }: ClaimedRun, exit: SandboxExit): boolean =>
  programNeverStarted(exit) && fence < maxStarts

/** Decides how the run ends, or queues it again if its program never started. */
export const decide: RunStep<'collected'> = async (drive, { exit, results }) => {
  await drive.endReport()
  if (mayStartAgain(drive.run, exit)) {
    const status = await requeue(drive)
    // The current holder of the run still needs the exit record.
    if (status === 'lost') return over
    if (status === 'cancel_requested')
      return { at: 'decided', end: { outcome: failed('cancelled') }, residue: sandboxLeft }
    if (status !== 'running') return { at: 'finished', residue: sandboxLeft }
  }
  if (exit.cause === 'stopped' && !drive.isCancelled) await checkForCancel(drive)
  const own = outcomeOf(exit, drive.isCancelled)
  if (typeof results !== 'string') {
    const parts = [...results.parts]
    const outcome = parts.reduce((so, [, left]) => left.outcome?.(so) ?? so, own)
    const replaced = parts.filter(([, { finish }]) => finish).map(([part]) => part)
    return { at: 'decided', end: { outcome, exit, results }, residue: { ...sandboxLeft, parts: replaced } }
  }
  const residue = { ...sandboxLeft, results: results === 'lost' }
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
  if (residue.results) await discardCollected(deps.storage, source)
  for (const part of residue.parts) await part.release?.(deps, run)
  if (!residue.sandbox) return over
  await deps.executor.remove(run.sandboxId).catch((error: unknown) => {
    log.warn({ error: describe(error) }, 'sandbox not removed yet')
  })
  return over
}
