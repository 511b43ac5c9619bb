import { sleep } from '../base/clock.ts'
import type { Executor, LogPart } from '../executor/port.ts'
import type { LiveLogWriter } from './live-log-writer.ts'

export interface BringDeps {
  executor: Pick<Executor, 'logSince'>
  write: LiveLogWriter
  pause?: typeof sleep | undefined
}

/** Without an answer: a sandbox is still to come, or the agent is away. */
const awayMs = 200
const newsWithinMs = 1000
const keptBytes = 256 * 1024
/** A line that comes alone is told at once, more of them together. */
const betweenMs = 50
/** What is written anew each time has its cost too. */
const betweenWholeMs = 200

/**
 * Brings the newest part of a sandbox's log to where the api reads it, until nobody wants it or `signal` fires. `ahead` is
 * how much was logged that the sandbox's own log does not begin with.
 */
export async function bringLiveLog(
  { executor, write, pause = sleep }: BringDeps,
  { subjectId, sandboxId, ahead = 0 }: { subjectId: string; sandboxId: string; ahead?: number },
  signal: AbortSignal,
): Promise<void> {
  let part: LogPart = { start: ahead, bytes: Buffer.alloc(0) }
  while (!signal.aborted) {
    const end = part.start + part.bytes.length
    const news = await executor.logSince(sandboxId, end - ahead, newsWithinMs).catch(() => undefined)
    const isNew = news !== undefined && news.bytes.length > 0
    if (isNew) part = joined(part, { ...news, start: news.start + ahead })
    if (!(await write(subjectId, isNew ? part : undefined))) return
    await pause(news ? Math.max(betweenMs, (betweenWholeMs * part.bytes.length) / keptBytes) : awayMs, signal)
  }
}

function joined(before: LogPart, news: LogPart): LogPart {
  if (news.start !== before.start + before.bytes.length) return news
  const all = Buffer.concat([before.bytes, news.bytes])
  const bytes = all.subarray(Math.max(0, all.length - keptBytes))
  return { start: news.start + news.bytes.length - bytes.length, bytes }
}
