import { type Executor, SandboxUnknown } from '../executor/port.ts'
import type { RunQueue } from './run-queue.ts'

/** Run ids and the claim: the executor holds other sandboxes too. */
const runSandboxPattern = /^run_[0-9a-f]{32}_\d+$/
const sweptAtOnce = 200

/**
 * Removes ended sandboxes whose run has its end in the database: a worker that died between the two left them. What still
 * runs of such a run is stopped, and goes the next time: another machine has ended the run, or somebody past this service.
 * Ids that were forbidden keep their mark. Answers how many went.
 */
export async function sweepSandboxes(
  runs: Pick<RunQueue, 'finishedAmong'>,
  executor: Executor,
): Promise<number> {
  const sandboxes = (await executor.list()).filter(({ id }) => runSandboxPattern.test(id))
  const inState = (state: 'exited' | 'running') =>
    sandboxes.filter((sandbox) => sandbox.state === state).map(({ id }) => id)
  const ended = inState('exited').slice(0, sweptAtOnce)
  const running = inState('running')
  const finished = new Set(await runs.finishedAmong([...ended, ...running]))
  const removed = ended.filter((id) => finished.has(id))
  // One that cannot be stopped or removed does not keep the others.
  const outcomes = await Promise.allSettled([
    ...running.filter((id) => finished.has(id)).map((id) => stopUnlessGone(executor, id)),
    ...removed.map((id) => executor.remove(id)),
  ])
  const failed = outcomes.find((outcome) => outcome.status === 'rejected')
  if (failed) throw failed.reason
  return removed.length
}

async function stopUnlessGone(executor: Executor, id: string): Promise<void> {
  await executor.stop(id).catch((error: unknown) => {
    if (!(error instanceof SandboxUnknown)) throw error
  })
}
