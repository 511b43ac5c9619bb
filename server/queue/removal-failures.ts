import { type RawBuilder, sql } from 'kysely'
import type { Executing } from '../db/database.ts'

/*
 * The table `removal_failures`. What cannot be removed is tried again after a pause that doubles from a minute to a day,
 * so a sweep that takes so many things a round always comes to those that can be removed.
 */

const firstPauseSeconds = 60
const lastPauseSeconds = 24 * 3600
/** 60 s doubled so often is more than a day. */
const doublingsMax = 11
/** What no sweep has come back to for so long has gone another way. */
const forgottenAfterSeconds = 2 * lastPauseSeconds

/** Condition of a sweep's statement: the thing of that id is not waiting for another try. */
export const isDue = (thing: RawBuilder<unknown>, now: Date): RawBuilder<boolean> => sql<boolean>`not exists (
  select from removal_failures failure where failure.thing = ${thing} and failure.next_at > ${now}::timestamptz
)`

/** Notes that things could not be removed now. */
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

/** Forgets what no sweep comes back to. */
export async function forgetOldFailures(db: Executing, now: Date): Promise<{ forgotten: number }> {
  const { numAffectedRows } = await sql`
    delete from removal_failures
    where next_at < ${now}::timestamptz - make_interval(secs => ${forgottenAfterSeconds})
  `.execute(db)
  return { forgotten: Number(numAffectedRows ?? 0) }
}
