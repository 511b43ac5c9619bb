import type { Database } from '../db/database.ts'
import type { Executor } from '../executor/port.ts'

const buildSandbox = /^(bld_[0-9a-f]{32})_/

/** Removes the sandboxes of attempts that have ended: what a worker leaves that dies right after its last write. */
export async function sweepBuilds(db: Database, executor: Executor): Promise<number> {
  const sandboxes = (await executor.list()).flatMap(({ id }) => {
    const attemptId = buildSandbox.exec(id)?.[1]
    return attemptId === undefined ? [] : [{ id, attemptId }]
  })
  if (sandboxes.length === 0) return 0
  const live = await db
    .selectFrom('build_attempts')
    .select('id')
    .where('id', 'in', [...new Set(sandboxes.map(({ attemptId }) => attemptId))])
    .where('terminal_at', 'is', null)
    .execute()
  const liveIds = new Set(live.map(({ id }) => id))
  const left = sandboxes.filter(({ attemptId }) => !liveIds.has(attemptId))
  for (const { id } of left) {
    await executor.stop(id)
    await executor.wait(id, AbortSignal.timeout(stopTimeoutMs))
    await executor.remove(id)
  }
  return left.length
}

const stopTimeoutMs = 10_000
