import { sql } from 'kysely'
import type { Executing } from '../../db/database.ts'

/** Keys of the cache points that the last build of the environment passed. */
export async function readBuiltStages(db: Executing, environmentId: string): Promise<string[]> {
  const row = await db
    .selectFrom('built_prefixes')
    .select('keys')
    .where('environment_id', '=', environmentId)
    .executeTakeFirst()
  return row?.keys ?? []
}

export async function recordBuiltStages(db: Executing, environmentId: string, keys: string[]): Promise<void> {
  await db
    .insertInto('built_prefixes')
    .values({ environment_id: environmentId, keys })
    .onConflict((conflict) =>
      conflict.column('environment_id').doUpdateSet({ keys, noted_at: sql<Date>`now()` }),
    )
    .execute()
}

export async function deleteStaleBuiltStages(db: Executing, before: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from built_prefixes where environment_id in (
      select environment_id from built_prefixes where noted_at < ${before} limit ${limit}
    )
  `.execute(db)
  return Number(numAffectedRows ?? 0)
}
