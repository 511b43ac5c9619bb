import { setTimeout as sleep } from 'node:timers/promises'
import { onPremisesCompanyQueueLimitDefault } from '@sandbox-jobs/contract/limits.ts'
import type { RunDetail } from '@sandbox-jobs/contract/resources/runs/run.ts'
import type { RunCalls } from './run-calls.ts'

/** As many as an on-premises service queues for one company, so none is refused. */
export const unfinishedMax = onPremisesCompanyQueueLimitDefault
const pollIntervalMs = 10
const limitMs = 120_000

export interface ManyRuns {
  /** From the first submission until the last run ended. */
  tookMs: number
  /** Of each run, from `queued_at` until its end. */
  samplesMs: number[]
}

/** Submits that many runs, as many at once as the service accepts. Throws when one does not end as completed. */
export async function manyRuns(calls: RunCalls, count: number): Promise<ManyRuns> {
  const startedAt = Date.now()
  const unfinished = new Set<string>()
  const samplesMs: number[] = []
  let submitting = 0
  let submitted = 0
  let lastEnd = startedAt
  let failure: Error | undefined
  while (submitted < count || submitting > 0 || unfinished.size > 0) {
    if (failure) throw failure
    if (Date.now() - startedAt > limitMs) throw new Error(`${unfinished.size} runs have not ended`)
    for (; submitted < count && unfinished.size + submitting < unfinishedMax; submitted += 1) {
      submitting += 1
      calls
        .submit()
        .then(({ id }) => unfinished.add(id))
        .catch((error: unknown) => {
          failure = error instanceof Error ? error : new Error(String(error))
        })
        .finally(() => {
          submitting -= 1
        })
    }
    await sleep(pollIntervalMs)
    for (const { id, status, queued_at: queued, terminal_at: end } of await lookAt(calls, unfinished)) {
      if (end === null || !unfinished.delete(id)) continue
      if (status !== 'completed') throw new Error(`run ${id} ended as ${status}`)
      samplesMs.push(Date.parse(end) - Date.parse(queued ?? ''))
      lastEnd = Math.max(lastEnd, Date.parse(end))
    }
  }
  return { tookMs: lastEnd - startedAt, samplesMs }
}

/** The newest runs, and those of `unfinished` that are not among them: one that takes a second has dozens of newer ones. */
async function lookAt(calls: RunCalls, unfinished: ReadonlySet<string>): Promise<RunDetail[]> {
  const wanted = [...unfinished]
  const newest = await calls.newest(2 * unfinishedMax)
  const listed = new Set(newest.map(({ id }) => id))
  const others = wanted.filter((id) => !listed.has(id))
  return [...newest, ...(await Promise.all(others.map((id) => calls.read(id))))]
}
