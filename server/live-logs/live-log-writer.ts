import type { Executing } from '../db/database.ts'
import type { LogPart } from '../executor/port.ts'
import { isLiveLogWanted, writeLiveLog } from './live-log-store.ts'

/** Puts the newest part of a log where the api reads it, if there is a new one. False when nobody wants it any more. */
export type LiveLogWriter = (subjectId: string, part: LogPart | undefined) => Promise<boolean>

export const liveLogWriter =
  (db: Executing): LiveLogWriter =>
  (subjectId, part) =>
    part ? writeLiveLog(db, subjectId, part) : isLiveLogWanted(db, subjectId)
