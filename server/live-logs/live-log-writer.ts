import type { Executing } from '../db/database.ts'
import type { LogPart } from '../executor/port.ts'
import { writeLiveLog } from './live-log-store.ts'

/** Puts the newest part of a log where the api reads it. False when nobody wants it any more. */
export type LiveLogWriter = (subjectId: string, part: LogPart) => Promise<boolean>

export const liveLogWriter =
  (db: Executing): LiveLogWriter =>
  (subjectId, part) =>
    writeLiveLog(db, subjectId, part)
