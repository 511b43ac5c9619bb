import type { Executor } from '../executor/port.ts'
import type { RunQueue } from './run-queue.ts'

/** Run ids and the claim: the executor holds other sandboxes too. */
const runSandboxPattern = /^run_[0-9a-f]{32}_\d+$/
const sweptAtOnce = 200

/**
 * Removes ended sandboxes whose run has its end in the database: a worker that died between the two left them. Ids that
 * were forbidden keep their mark. Answers how many went.
 */
export async function sweepSandboxes(
  runs: Pick<RunQueue, 'finishedAmong'>,
  executor: Executor,
): Promise<number> {
  const sandboxes = await executor.list()
  const ended = sandboxes
    .filter((sandbox) => sandbox.state === 'exited' && runSandboxPattern.test(sandbox.id))
    .slice(0, sweptAtOnce)
  const finished = await runs.finishedAmong(ended.map((sandbox) => sandbox.id))
  // One that cannot be removed does not keep the others.
  const removals = await Promise.allSettled(finished.map((id) => executor.remove(id)))
  const failed = removals.find((removal) => removal.status === 'rejected')
  if (failed) throw failed.reason
  return finished.length
}
