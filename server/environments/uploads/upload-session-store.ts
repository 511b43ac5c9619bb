import {
  uploadCapabilityLifetimeSeconds,
  uploadSessionLifetimeSeconds,
} from '@sandbox-jobs/contract/limits.ts'
import {
  type UploadSessionState,
  uploadSessionMachine,
} from '@sandbox-jobs/contract/states/upload-session-states.ts'
import { type Selectable, sql } from 'kysely'
import { acrossCompanies } from '../../db/across-companies.ts'
import type { Executing, Trx } from '../../db/database.ts'
import type { UploadSessionsTable } from '../../db/tables/environments.ts'
import { transition } from '../../db/transition.ts'
import { isDue } from '../../work/removal.ts'

/** A session and conditions evaluated with the database's clock. */
export type UploadSessionRow = Selectable<UploadSessionsTable> & {
  session_expired: boolean
  capability_expired: boolean
  receiving: boolean
}

const clockColumns = [
  sql<boolean>`session_expires_at <= now()`.as('session_expired'),
  sql<boolean>`capability_expires_at <= now()`.as('capability_expired'),
  sql<boolean>`coalesce(receiving_until > now(), false)`.as('receiving'),
] as const

const liveStates = ['initiating', 'uploading', 'completing', 'abort_pending'] as const

const secondsFromNow = (seconds: number) => sql<Date>`now() + ${seconds} * interval '1 second'`

export interface SessionKey {
  companyId: string
  environmentId: string
  sessionId: string
}

export async function findSession(db: Executing, key: SessionKey): Promise<UploadSessionRow | undefined> {
  return selectSession(db, key).executeTakeFirst()
}

export async function lockSession(trx: Trx, key: SessionKey): Promise<UploadSessionRow | undefined> {
  return selectSession(trx, key).forUpdate().executeTakeFirst()
}

const selectSession = (db: Executing, key: SessionKey) =>
  db
    .selectFrom('upload_sessions')
    .selectAll()
    .select(clockColumns)
    .where('id', '=', key.sessionId)
    .where('company_id', '=', key.companyId)
    .where('environment_id', '=', key.environmentId)

/**
 * Usage of the company: live sessions and leases, their declared bytes, the inits of the last minute, and the seconds
 * until the oldest of them no longer counts.
 */
export async function measureStaging(trx: Trx, companyId: string) {
  const { rows } = await sql<{
    slots: number
    declaredBytes: number
    inits: number
    freeAfterSeconds: number
  }>`
    with held as (
      select declared_bytes from upload_sessions
      where company_id = ${companyId} and state = any(${[...liveStates]}) and session_expires_at > now()
      union all
      select declared_bytes from staging_leases
      where company_id = ${companyId} and held_until > now() and object_kind <> 'input'
    ), recent as (
      select created_at from upload_sessions
      where company_id = ${companyId} and created_at > now() - interval '1 minute'
      union all
      select created_at from staging_leases
      where company_id = ${companyId} and created_at > now() - interval '1 minute'
        and object_kind not in ('report', 'input')
    )
    select (select count(*) from held) as slots,
      (select coalesce(sum(declared_bytes), 0)::bigint from held) as "declaredBytes",
      (select count(*) from recent) as inits,
      (select coalesce(ceil(extract(epoch from min(created_at) + interval '1 minute' - now())), 0)::int from recent)
        as "freeAfterSeconds"
  `.execute(trx)
  return rows[0] ?? { slots: 0, declaredBytes: 0, inits: 0, freeAfterSeconds: 0 }
}

export interface NewSession {
  id: string
  company_id: string
  environment_id: string
  archive_format: string
  declared_bytes: number
  capability_hash: Buffer
  created_by: string
}

export async function insertSession(trx: Trx, session: NewSession): Promise<UploadSessionRow> {
  return trx
    .insertInto('upload_sessions')
    .values({
      ...session,
      object_kind: 'context',
      state: uploadSessionMachine.initial,
      capability_expires_at: secondsFromNow(uploadCapabilityLifetimeSeconds),
      session_expires_at: secondsFromNow(uploadSessionLifetimeSeconds),
    })
    .returningAll()
    .returning(clockColumns)
    .executeTakeFirstOrThrow()
}

export const transitionSession = (
  trx: Trx,
  { id, company_id }: Pick<UploadSessionRow, 'id' | 'company_id'>,
  to: UploadSessionState,
  set: Record<string, unknown> = {},
): Promise<UploadSessionState | undefined> =>
  transition(trx, {
    table: 'upload_sessions',
    machine: uploadSessionMachine,
    id,
    companyId: company_id,
    to,
    set,
  })

/** Sessions that were not ended within a day, and aborts that could not be finished when requested. */
export async function listOverdueSessions(
  db: Executing,
  now: Date,
  limit: number,
): Promise<(SessionKey & { receiving: boolean })[]> {
  const rows = await db
    .selectFrom('upload_sessions')
    .modifyFront(acrossCompanies('a sweep of all companies'))
    .select([
      'company_id',
      'environment_id',
      'id',
      sql<boolean>`coalesce(receiving_until > now(), false)`.as('receiving'),
    ])
    .where('state', 'in', ['uploading', 'completing', 'abort_pending'])
    // The sender must end first.
    .where(sql<boolean>`not (state = 'abort_pending' and coalesce(receiving_until > now(), false))`)
    .where((eb) =>
      eb.or([eb('session_expires_at', '<=', sql<Date>`now()`), eb('state', '=', 'abort_pending')]),
    )
    .where(isDue(sql`upload_sessions.id`, now))
    .orderBy('session_expires_at')
    .limit(limit)
    .execute()
  return rows.map((row) => ({
    companyId: row.company_id,
    environmentId: row.environment_id ?? '',
    sessionId: row.id,
    receiving: row.receiving,
  }))
}

/**
 * Reserves the session for sending bytes to `storageKey` for at most `seconds`. False if the session does not accept
 * bytes, has an active sender, or has unremoved bytes of an earlier sender.
 */
export async function startReceiving(
  db: Executing,
  key: SessionKey,
  { storageKey, seconds }: { storageKey: string; seconds: number },
): Promise<boolean> {
  const row = await db
    .updateTable('upload_sessions')
    .set({ receiving_until: secondsFromNow(seconds), unused_key: storageKey })
    .where('id', '=', key.sessionId)
    .where('company_id', '=', key.companyId)
    .where('state', 'in', ['uploading', 'completing'])
    .where('session_expires_at', '>', sql<Date>`now()`)
    .where('unused_key', 'is', null)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** The received bytes become the session's own. The replaced bytes become unused. */
export async function takeReceived(
  trx: Trx,
  session: Pick<UploadSessionRow, 'id' | 'company_id' | 'storage_key'>,
  received: { storage_key: string; received_bytes: number; received_digest: string },
): Promise<void> {
  await trx
    .updateTable('upload_sessions')
    .set({ ...received, unused_key: session.storage_key })
    .where('id', '=', session.id)
    .where('company_id', '=', session.company_id)
    .execute()
}

/** Ends the upload to this key. Does nothing if another sender is active. Bytes that still exist stay recorded. */
export async function finishReceiving(
  db: Executing,
  left: { id: string; company_id: string; unused_key: string | null },
  isGone: boolean,
): Promise<void> {
  await db
    .updateTable('upload_sessions')
    .set({ receiving_until: null, ...(isGone && { unused_key: null }) })
    .where('id', '=', left.id)
    .where('company_id', '=', left.company_id)
    .where('unused_key', 'is not distinct from', left.unused_key)
    .execute()
}

/**
 * Sessions, or the given one, with unused bytes and without an active sender. Rows are locked until the transaction
 * ends; locked rows are skipped.
 */
export function lockUnused(
  trx: Trx,
  {
    limit,
    session,
    now,
  }: { limit: number; session?: Pick<UploadSessionRow, 'id' | 'company_id'>; now: Date },
): Promise<{ id: string; company_id: string; unused_key: string }[]> {
  let query = trx
    .selectFrom('upload_sessions')
    .select(['id', 'company_id', 'unused_key'])
    .where('unused_key', 'is not', null)
    .where((eb) => eb.or([eb('receiving_until', 'is', null), eb('receiving_until', '<=', sql<Date>`now()`)]))
  // If a session is given, a request waits for it.
  query =
    session === undefined
      ? query
          .modifyFront(acrossCompanies('a sweep of all companies'))
          .where(isDue(sql`'unused:' || upload_sessions.id`, now))
      : query.where('id', '=', session.id).where('company_id', '=', session.company_id)
  return query
    .orderBy('receiving_until')
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .$narrowType<{ unused_key: string }>()
    .execute()
}
