import type { LogPart } from '../../agent/port/sandboxes.ts'
import type { Executing } from '../db/database.ts'
import { isLiveLogRequested, writeLiveLog } from './live-log-store.ts'

/** Stores the newest part of a log, if there is one, for the API to read. False when the log is no longer requested. */
export type LiveLogWriter = (subjectId: string, part: LogPart | undefined) => Promise<boolean>

export const liveLogWriter =
  (db: Executing): LiveLogWriter =>
  (subjectId, part) =>
    part ? writeLiveLog(db, subjectId, part) : isLiveLogRequested(db, subjectId)
