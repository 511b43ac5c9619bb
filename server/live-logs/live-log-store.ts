import { sql } from 'kysely'
import type { LogPart } from '../../agent/port/results.ts'
import { acrossCompanies } from '../db/across-companies.ts'
import type { Executing } from '../db/database.ts'
import { liveLogChannel, logUpdatesChannel } from './log-updates.ts'

/* SQL of the table `live_logs`. It is unlogged, so its transactions do not wait for the disk and may notify themselves. */

/** Owner of the log: a run or a build. */
export interface LogSubject {
  id: string
  company_id: string
}

/** Lifetime of one request for a log, in seconds. */
const requestedSeconds = 10

/** Requests the log: the worker that has the sandbox streams it for a while. */
export async function requestLiveLog(db: Executing, subject: LogSubject): Promise<void> {
  await sql`
    with wanted as (
      insert into live_logs (subject_id, company_id, wanted_until)
      values (${subject.id}, ${subject.company_id}, now() + ${requestedSeconds} * interval '1 second')
      on conflict (subject_id) do update set wanted_until = excluded.wanted_until
    )
    select pg_notify(${sql.lit(liveLogChannel)}, ${subject.id})
  `.execute(db)
}

/** The stored part of the log from `position` on. */
export async function readLiveLog(
  db: Executing,
  subject: LogSubject,
  position: number,
): Promise<LogPart | undefined> {
  const { rows } = await sql<LogPart>`
    select greatest(start, ${position}::bigint) as start,
      substring(bytes from greatest(${position}::bigint - start, 0)::int + 1) as bytes
    from live_logs
    where subject_id = ${subject.id} and company_id = ${subject.company_id}
      and start + length(bytes) > ${position}::bigint
  `.execute(db)
  return rows[0]
}

/** Stores the part and notifies its followers. False when the log is no longer requested. */
export async function writeLiveLog(db: Executing, subjectId: string, part: LogPart): Promise<boolean> {
  const { rows } = await sql`${acrossCompanies('a worker writes the log of what it has in hand')}
    with written as (
      update live_logs set start = ${part.start}, bytes = ${part.bytes}
      where subject_id = ${subjectId} and wanted_until > now()
      returning subject_id
    )
    select pg_notify(${sql.lit(logUpdatesChannel)}, subject_id) from written
  `.execute(db)
  return rows.length > 0
}

/** False when the log is no longer requested. */
export async function isLiveLogRequested(db: Executing, subjectId: string): Promise<boolean> {
  const found = await db
    .selectFrom('live_logs')
    .modifyFront(acrossCompanies('a worker asks for what it has in hand'))
    .select('subject_id')
    .where('subject_id', '=', subjectId)
    .where('wanted_until', '>', sql<Date>`now()`)
    .executeTakeFirst()
  return found !== undefined
}

/** Deletes logs that are no longer requested. */
export async function dropLiveLogs(db: Executing): Promise<{ dropped: number }> {
  const { numDeletedRows } = await db
    .deleteFrom('live_logs')
    .where('wanted_until', '<', sql<Date>`now()`)
    .modifyEnd(acrossCompanies('a sweep of all companies'))
    .executeTakeFirst()
  return { dropped: Number(numDeletedRows) }
}
