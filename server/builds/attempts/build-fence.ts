import { sql } from 'kysely'
import { CodedError } from '../../base/errors/coded-error.ts'
import type { Executing } from '../../db/database.ts'
import type { EnvironmentContext } from '../../environments/catalogue/environment-context.ts'

/*
 * The operator can stop new builds for a while. The fence expires by itself, so that a forgotten one does not stop
 * companies for ever. Builds that are already queued go on.
 */

/** Throws `build_admission_fenced` while a fence is up. If the fence cannot be read, builds are admitted. */
export async function requireUnfenced({ db, log }: Pick<EnvironmentContext, 'db' | 'log'>): Promise<void> {
  const seconds = await fenceSeconds(db).catch((error: unknown) => {
    log.warn({ error: String(error) }, 'the build fence cannot be read, so builds are admitted')
    return 0
  })
  if (seconds > 0) throw new CodedError('build_admission_fenced', { retry_after_seconds: seconds })
}

/** Seconds until the fence expires; 0 if there is none. */
export async function fenceSeconds(db: Executing): Promise<number> {
  const row = await db
    .selectFrom('build_fence')
    .select(sql<number>`ceil(extract(epoch from ends_at - now()))::int`.as('seconds'))
    .where('ends_at', '>', sql<Date>`now()`)
    .executeTakeFirst()
  return row?.seconds ?? 0
}

/** Stops new builds for `minutes` from now, replacing any earlier fence. Returns when the fence ends. */
export async function raiseFence(db: Executing, minutes: number): Promise<Date> {
  const ends_at = sql<Date>`now() + make_interval(mins => ${minutes})`
  const row = await db
    .insertInto('build_fence')
    .values({ ends_at })
    .onConflict((conflict) => conflict.column('single').doUpdateSet({ ends_at }))
    .returning('ends_at')
    .executeTakeFirstOrThrow()
  return row.ends_at
}

/** Returns false if no fence was up. */
export async function liftFence(db: Executing): Promise<boolean> {
  const row = await db
    .deleteFrom('build_fence')
    .returning(sql<boolean>`ends_at > now()`.as('held'))
    .executeTakeFirst()
  return row?.held ?? false
}
