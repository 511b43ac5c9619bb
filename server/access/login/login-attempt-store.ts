import { sql } from 'kysely'
import type { Database, Executing } from '../../db/database.ts'

/* Writes the table `login_attempts`. */

/**
 * A token bucket of failed attempts: `burst` attempts, and one more per `refillMs`. Its row has the time at which the
 * bucket is full again. An attempt moves that time by `refillMs`. A bucket without a row is full.
 */
export interface Bucket {
  key: Buffer
  burst: number
  refillMs: number
}

const after = (at: Date, ms: number) => new Date(at.getTime() + ms)

/** Takes one attempt from each bucket, or from none. False if one of them is empty. */
export function takeOfEach(db: Database, buckets: readonly Bucket[], now: Date): Promise<boolean> {
  // A fixed order prevents deadlocks between transactions that use the same rows.
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

/** Returns one attempt to each bucket. */
export async function giveBackToEach(db: Executing, buckets: readonly Bucket[]): Promise<void> {
  for (const { key, refillMs } of buckets) {
    await sql`
      update login_attempts set full_at = full_at - ${refillMs} * interval '1 millisecond' where bucket_key = ${key}
    `.execute(db)
  }
}

/** Time in milliseconds until each bucket has an attempt. */
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

/** Deletes the rows of full buckets. */
export async function dropFullBuckets(db: Executing): Promise<{ dropped: number }> {
  const { rows } = await sql`
    delete from login_attempts where bucket_key in (
      select bucket_key from login_attempts where full_at < now() order by full_at limit ${removedAtOnce}
    ) returning 1
  `.execute(db)
  return { dropped: rows.length }
}
