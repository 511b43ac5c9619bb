import { sql } from 'kysely'
import { acrossCompanies } from '../db/across-companies.ts'
import type { Database, Executing } from '../db/database.ts'
import { scheduledCompanies } from '../fairness/company-schedule-statement.ts'

/** The part of the due rows of a lane that one round may take. */
export interface ClaimShare {
  /** Companies after this one in the order of their ids. */
  afterCompany: string
  companies: number
  /** Rows in all. */
  free: number
  /** Attempts of a company at once, and those in progress by company. */
  perCompany: number
  inProgress: Record<string, number>
}

export interface ClaimedRound<Claimed> {
  claimed: Claimed[]
  /** The last company that was looked at; empty where none is left after it. */
  lastCompany: string
}

/** A table of rows to attempt: `id`, `company_id`, `lane`, `due_at`, `attempts`, `attempted_at` and `outcome`, null while it waits. */
export interface DueTable<Claimed extends { id: string; company_id: string }> {
  table: string
  /** The columns that a claim returns, besides `id` and `company_id`. */
  columns: readonly Exclude<keyof Claimed & string, 'id' | 'company_id'>[]
}

/** How attempts claim rows of a table. An attempt that has not ended after `lostAfterMs` died with its process. */
export const dueRows = <Claimed extends { id: string; company_id: string }>(
  due: DueTable<Claimed>,
  { db, worker, lostAfterMs }: { db: Database; worker: string; lostAfterMs: number },
) => ({
  claim: (lane: string, share: ClaimShare): Promise<ClaimedRound<Claimed>> =>
    claimDue(db, due, { ...share, worker, lane, lostAfterMs }),
  takeBack: (active: readonly string[]): Promise<number> =>
    takeBackDue(db, due.table, { worker, active, lostAfterMs }),
})

/**
 * Makes due what is claimed by a worker that is gone, or by this one and not in `active`: its process has died, or the answer to its
 * claim was lost. One whose heartbeat is only old may be alive: no heartbeat is renewed while the database is away. Returns the number
 * of rows.
 */
async function takeBackDue(
  db: Executing,
  table: string,
  { worker, active, lostAfterMs }: { worker: string; active: readonly string[]; lostAfterMs: number },
): Promise<number> {
  const { numAffectedRows } = await sql`${acrossCompanies('attempts of a process that has died')}
    update ${sql.table(table)} set due_at = now()
    where outcome is null and due_at > now() and due_at = attempted_at + ${lostAfterMs} * interval '1 millisecond'
      and id <> all(${active}::text[])
      and (worker = ${worker} or not exists (select from workers where workers.id = ${sql.ref(`${table}.worker`)}))
  `.execute(db)
  return Number(numAffectedRows ?? 0)
}

type Nullable<T> = { [K in keyof T]: T[K] | null }

/**
 * Takes due rows of the next companies that have some waiting, at most `free`, so that a company with many delays no other. A
 * company without a free place is passed over. A claimed row is due again when its attempt counts as lost.
 */
async function claimDue<Claimed extends { id: string; company_id: string }>(
  db: Executing,
  { table, columns }: DueTable<Claimed>,
  { worker, lane, lostAfterMs, ...share }: ClaimShare & { worker: string; lane: string; lostAfterMs: number },
): Promise<ClaimedRound<Claimed>> {
  const due = sql.table(table)
  const returned = sql.join(['id', 'company_id', ...columns].map((column) => sql.ref(column)))
  const waits = sql`lane = ${lane} and outcome is null`
  const { rows } = await sql<
    Nullable<Claimed> & { scanned: number; last_company: string | null }
  >`${acrossCompanies('due rows of all companies')}
    with recursive ${scheduledCompanies({ table, waits }, share)}, due as (
      select d.id from waiting w cross join lateral (
        select id from ${due}
        where ${waits} and company_id = w.company_id and due_at <= now()
        order by due_at
        limit greatest(0, ${share.perCompany} - coalesce((${JSON.stringify(share.inProgress)}::jsonb ->> w.company_id)::int, 0))
        for update skip locked
      ) d
      order by w.turn limit ${share.free}
    ), claimed as (
      update ${due} set attempts = attempts + 1, attempted_at = now(), due_at = now() + ${lostAfterMs} * interval '1 millisecond', worker = ${worker}
      where id = any(array(select id from due))
      returning ${returned}
    ), looked as (
      select count(company_id)::int as scanned, max(company_id) as last_company from waiting
    )
    select claimed.*, looked.scanned, looked.last_company from looked left join claimed on true
  `.execute(db)
  const [first] = rows
  return {
    claimed: rows.filter((row): row is typeof row & Claimed => row.id !== null),
    lastCompany: first && first.scanned >= share.companies ? (first.last_company ?? '') : '',
  }
}
