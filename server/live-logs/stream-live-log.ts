import type { LogPart, ResultPort } from '../../agent/port/results.ts'
import { sleep } from '../base/clock.ts'
import type { Executing } from '../db/database.ts'
import { isLiveLogRequested, writeLiveLog } from './live-log-store.ts'

export interface StreamDeps {
  executor: Pick<ResultPort, 'logSince'>
  write: LiveLogWriter
  pause?: typeof sleep | undefined
}

/** After no response: the sandbox does not exist yet, or the agent is unavailable. */
const retryMs = 200
const waitForOutputMs = 1000
const windowBytes = 256 * 1024
/** A single line is written at once, several lines together. */
const minIntervalMs = 50
/** The whole window is written each time, so its size has a cost too. */
const fullWindowIntervalMs = 200

/**
 * Stores the newest part of a sandbox's log, for the API to read, until it is no longer requested or `signal` fires.
 * `ahead` is the number of bytes logged before the start of the sandbox's own log.
 */
export async function streamLiveLog(
  { executor, write, pause = sleep }: StreamDeps,
  { subjectId, sandboxId, ahead = 0 }: { subjectId: string; sandboxId: string; ahead?: number },
  signal: AbortSignal,
): Promise<void> {
  let part: LogPart = { start: ahead, bytes: Buffer.alloc(0) }
  while (!signal.aborted) {
    const end = part.start + part.bytes.length
    const output = await executor.logSince(sandboxId, end - ahead, waitForOutputMs).catch(() => undefined)
    const isNew = output !== undefined && output.bytes.length > 0
    if (isNew) part = joined(part, { ...output, start: output.start + ahead })
    if (!(await write(subjectId, isNew ? part : undefined))) return
    await pause(
      output ? Math.max(minIntervalMs, (fullWindowIntervalMs * part.bytes.length) / windowBytes) : retryMs,
      signal,
    )
  }
}

function joined(before: LogPart, output: LogPart): LogPart {
  if (output.start !== before.start + before.bytes.length) return output
  const all = Buffer.concat([before.bytes, output.bytes])
  const bytes = all.subarray(Math.max(0, all.length - windowBytes))
  return { start: output.start + output.bytes.length - bytes.length, bytes }
}

/** Stores the newest part of a log, if there is one, for the API to read. False when the log is no longer requested. */
export type LiveLogWriter = (subjectId: string, part: LogPart | undefined) => Promise<boolean>

export const liveLogWriter =
  (db: Executing): LiveLogWriter =>
  (subjectId, part) =>
    part ? writeLiveLog(db, subjectId, part) : isLiveLogRequested(db, subjectId)
