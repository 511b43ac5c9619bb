import { sql } from 'kysely'
import { CodedError } from '../base/coded-error.ts'
import type { Executing } from '../db/database.ts'
import type { EnvironmentContext } from '../environments/environment-context.ts'

/*
 * The operator's word that no build is to be queued for a while. It lifts itself, so that one that was forgotten does
 * not stop a company for ever; builds that are queued already go on.
 */

/** Throws `build_admission_fenced` while builds are held back. A fence that cannot be read holds nobody back. */
export async function requireUnfenced({ db, log }: Pick<EnvironmentContext, 'db' | 'log'>): Promise<void> {
  const seconds = await fenceSeconds(db).catch((error: unknown) => {
    log.warn({ error: String(error) }, 'the build fence cannot be read, so builds are taken')
    return 0
  })
  if (seconds > 0) throw new CodedError('build_admission_fenced', { retry_after_seconds: seconds })
}

/** Seconds until the fence lifts; 0: there is none. */
export async function fenceSeconds(db: Executing): Promise<number> {
  const row = await db
    .selectFrom('build_fence')
    .select(sql<number>`ceil(extract(epoch from ends_at - now()))::int`.as('seconds'))
    .where('ends_at', '>', sql<Date>`now()`)
    .executeTakeFirst()
  return row?.seconds ?? 0
}

/** Holds back builds for so many minutes from now, whatever was said before. Answers when that ends. */
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

/** False: builds were not held back. */
export async function liftFence(db: Executing): Promise<boolean> {
  const row = await db
    .deleteFrom('build_fence')
    .returning(sql<boolean>`ends_at > now()`.as('held'))
    .executeTakeFirst()
  return row?.held ?? false
}
