import { sleep } from '../base/clock.ts'
import type { Executor, LogPart } from '../executor/port.ts'
import type { LiveLogWriter } from './live-log-writer.ts'

export interface BringDeps {
  executor: Pick<Executor, 'logSince'>
  write: LiveLogWriter
  pause?: typeof sleep | undefined
}

const lookEveryMs = 200
const keptBytes = 256 * 1024

/** Brings the newest part of a sandbox's log to where the api reads it, until nobody wants it or `signal` fires. */
export async function bringLiveLog(
  { executor, write, pause = sleep }: BringDeps,
  { subjectId, sandboxId }: { subjectId: string; sandboxId: string },
  signal: AbortSignal,
): Promise<void> {
  let part: LogPart = { start: 0, bytes: Buffer.alloc(0) }
  while (!signal.aborted) {
    const end = part.start + part.bytes.length
    // A sandbox that is still to come and an agent that is away are the same: there is nothing new.
    const news = await executor.logSince(sandboxId, end).catch(() => undefined)
    if (news && news.bytes.length > 0) part = joined(part, news)
    if (!(await write(subjectId, part))) return
    await pause(lookEveryMs, signal)
  }
}

function joined(before: LogPart, news: LogPart): LogPart {
  if (news.start !== before.start + before.bytes.length) return news
  const all = Buffer.concat([before.bytes, news.bytes])
  const bytes = all.subarray(Math.max(0, all.length - keptBytes))
  return { start: news.start + news.bytes.length - bytes.length, bytes }
}
