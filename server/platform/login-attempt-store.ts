import { sql } from 'kysely'
import type { Database, Executing } from '../db/database.ts'

/* Writes the table `login_attempts`. */

/**
 * So many attempts that were not right, and one more each `refillMs`. Its row is the instant at which all of them are
 * there again: an attempt moves it on by `refillMs`, and a bucket without a row is full.
 */
export interface Bucket {
  key: Buffer
  burst: number
  refillMs: number
}

const after = (at: Date, ms: number) => new Date(at.getTime() + ms)

/** Takes one attempt of each, or of none; false where one of them has none left. */
export function takeOfEach(db: Database, buckets: readonly Bucket[], now: Date): Promise<boolean> {
  // In one order for all, so that two that want the same rows do not wait for each other.
  const inOrder = buckets.toSorted((a, b) => Buffer.compare(a.key, b.key))
  return db
    .transaction()
    .execute(async (trx) => {
      for (const bucket of inOrder) {
        if (!(await takeOne(trx, bucket, now))) throw new NoneLeft()
      }
      return true
    })
    .catch((error: unknown) => {
      if (error instanceof NoneLeft) return false
      throw error
    })
}

class NoneLeft extends Error {}

async function takeOne(trx: Executing, { key, burst, refillMs }: Bucket, now: Date): Promise<boolean> {
  const moved = sql`greatest(t.full_at, ${now}::timestamptz) + ${refillMs} * interval '1 millisecond'`
  const { rows } = await sql`
    insert into login_attempts as t (bucket_key, full_at) values (${key}, ${after(now, refillMs)})
    on conflict (bucket_key) do update set full_at = ${moved}
    where ${moved} <= ${after(now, burst * refillMs)}::timestamptz
    returning bucket_key
  `.execute(trx)
  return rows.length > 0
}

/** Gives one attempt of each back. */
export async function giveBackToEach(db: Executing, buckets: readonly Bucket[]): Promise<void> {
  for (const { key, refillMs } of buckets) {
    await sql`
      update login_attempts set full_at = full_at - ${refillMs} * interval '1 millisecond' where bucket_key = ${key}
    `.execute(db)
  }
}

/** The time until each has an attempt left. */
export async function waitMsOf(db: Executing, buckets: readonly Bucket[], now: Date): Promise<number> {
  const rows = await db
    .selectFrom('login_attempts')
    .selectAll()
    .where(
      'bucket_key',
      'in',
      buckets.map(({ key }) => key),
    )
    .execute()
  const waits = buckets.map(({ key, burst, refillMs }) => {
    const row = rows.find(({ bucket_key }) => bucket_key.equals(key))
    return row ? row.full_at.getTime() - now.getTime() - (burst - 1) * refillMs : 0
  })
  return Math.max(0, ...waits)
}

const removedAtOnce = 10_000

/** Removes the rows of buckets that are full again. */
export async function dropFullBuckets(db: Executing): Promise<{ dropped: number }> {
  const { rows } = await sql`
    delete from login_attempts where bucket_key in (
      select bucket_key from login_attempts where full_at < now() order by full_at limit ${removedAtOnce}
    ) returning 1
  `.execute(db)
  return { dropped: rows.length }
}
