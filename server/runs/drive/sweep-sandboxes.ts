import { SandboxUnknown } from '../../../agent/port/errors.ts'
import type { SandboxPort } from '../../../agent/port/sandboxes.ts'
import type { RunQueue } from './run-queue.ts'

/** A run id and the fence of its claim: the executor also has sandboxes that are not of runs. */
const runSandboxPattern = /^run_[0-9a-f]{32}_\d+$/
const sweepBatch = 200

/**
 * Removes exited sandboxes whose run has ended in the database: a worker died between the end and the removal. A sandbox
 * that still executes for an ended run is stopped and removed by a later sweep: another machine ended the run, or someone
 * changed the database directly. Forbidden ids keep their mark. Returns the number of removed sandboxes.
 */
export async function sweepSandboxes(
  runs: Pick<RunQueue, 'finishedAmong'>,
  executor: SandboxPort,
): Promise<number> {
  const sandboxes = (await executor.list()).filter(({ id }) => runSandboxPattern.test(id))
  const inState = (state: 'exited' | 'running') =>
    sandboxes.filter((sandbox) => sandbox.state === state).map(({ id }) => id)
  const ended = inState('exited').slice(0, sweepBatch)
  const running = inState('running')
  const finished = new Set(await runs.finishedAmong([...ended, ...running]))
  const removed = ended.filter((id) => finished.has(id))
  // A failure to stop or remove one sandbox must not block the others.
  const outcomes = await Promise.allSettled([
    ...running.filter((id) => finished.has(id)).map((id) => stopUnlessGone(executor, id)),
    ...removed.map((id) => executor.remove(id)),
  ])
  const failed = outcomes.find((outcome) => outcome.status === 'rejected')
  if (failed) throw failed.reason
  return removed.length
}

async function stopUnlessGone(executor: SandboxPort, id: string): Promise<void> {
  await executor.stop(id).catch((error: unknown) => {
    if (!(error instanceof SandboxUnknown)) throw error
  })
}
