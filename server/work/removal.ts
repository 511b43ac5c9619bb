import { type RawBuilder, sql } from 'kysely'
import type { Executing } from '../db/database.ts'

/*
 * The table `removal_failures`. A failed removal is retried after a pause that doubles from a minute to a day, so a sweep
 * with a limit per round always reaches the items that can be removed.
 */

const firstPauseSeconds = 60
const lastPauseSeconds = 24 * 3600
/** 60 s doubled this often is more than a day. */
const doublingsMax = 11
/** An item that no sweep has retried for this long was removed in another way. */
const forgottenAfterSeconds = 2 * lastPauseSeconds

/** Condition in a sweep's statement: the item of that id is not waiting for a retry. */
export const isDue = (thing: RawBuilder<unknown>, now: Date): RawBuilder<boolean> => sql<boolean>`not exists (
  select from removal_failures failure where failure.thing = ${thing} and failure.next_at > ${now}::timestamptz
)`

/** Records failed removals and schedules their next retry. */
export async function postpone(db: Executing, things: readonly string[], now: Date): Promise<void> {
  if (things.length === 0) return
  const pause = (attempts: RawBuilder<unknown>) => sql`make_interval(secs => least(
    ${lastPauseSeconds}, ${firstPauseSeconds} * power(2, least(${attempts}, ${doublingsMax}))))`
  await sql`
    insert into removal_failures (thing, attempts, next_at)
    select distinct thing, 1, ${now}::timestamptz + ${pause(sql`0`)} from unnest(${things}::text[]) as failed (thing)
    on conflict (thing) do update set attempts = removal_failures.attempts + 1,
      next_at = ${now}::timestamptz + ${pause(sql`removal_failures.attempts`)}
  `.execute(db)
}

export async function forgetFailures(db: Executing, removed: readonly string[]): Promise<void> {
  if (removed.length === 0) return
  await sql`delete from removal_failures where thing = any(${removed}::text[])`.execute(db)
}

/** Deletes failures that no sweep will retry. */
export async function forgetOldFailures(db: Executing, now: Date): Promise<{ forgotten: number }> {
  const { numAffectedRows } = await sql`
    delete from removal_failures
    where next_at < ${now}::timestamptz - make_interval(secs => ${forgottenAfterSeconds})
  `.execute(db)
  return { forgotten: Number(numAffectedRows ?? 0) }
}

/**
 * Callers may hold rows locked in a transaction, which ends when it is idle for a minute, and a store that does not answer takes half
 * a minute for each removal.
 */
const startsWithinMs = 20_000

interface Removal<Thing> {
  db: Executing
  now: Date
  idOf: (thing: Thing) => string
  remove: (thing: Thing) => Promise<void>
  onFailure: (thing: Thing, error: unknown) => void
}

/**
 * Removes items one by one. A failure is reported to `onFailure` and postponed, so that later rounds remove others first. Items that
 * are not reached in time are left to the next round.
 */
export async function removeEach<Thing>(
  things: readonly Thing[],
  { db, now, idOf, remove, onFailure }: Removal<Thing>,
): Promise<{ removed: number; failed: number }> {
  const removed: string[] = []
  const failed: string[] = []
  const startedAt = performance.now()
  for (const thing of things) {
    if (performance.now() - startedAt > startsWithinMs) break
    try {
      await remove(thing)
      removed.push(idOf(thing))
    } catch (error) {
      onFailure(thing, error)
      failed.push(idOf(thing))
    }
  }
  await postpone(db, failed, now)
  await forgetFailures(db, removed)
  return { removed: removed.length, failed: failed.length }
}
