import { sql } from 'kysely'
import type { Executing } from '../../db/database.ts'
import { arrayParam } from '../../db/fast/params.ts'
import { matching, type VisibleRunFilter } from './visible-run-store.ts'

/**
 * The runs that match and of which nobody has requested the end: their number, and the first of them in the order in which they
 * are cancelled. Those of the queue go first, or the places of the others would start them.
 */
export async function listCancellableRuns(
  db: Executing,
  filter: VisibleRunFilter,
  { ids, limit }: { ids: readonly string[] | undefined; limit: number },
): Promise<{ ids: string[]; total: number }> {
  const wanted = ids ? sql`runs.id = any(${arrayParam(ids, 'text')}::text[])` : sql`true`
  // Two parts, each with the words of a partial index: the cost is that of live runs, however many have ended.
  const { rows } = await sql<{ id: string; total: number }>`
    select id, (count(*) over ())::int as total from (
      select runs.id, runs.queued_at, 0 as part from runs where runs.state = 'queued' and ${matching(filter)} and ${wanted}
      union all
      select runs.id, runs.queued_at, 1 as part from runs
      where runs.state in ('starting', 'running') and ${matching(filter)} and ${wanted}
    ) live order by part, queued_at desc, id desc limit ${limit}`.execute(db)
  return { ids: rows.map(({ id }) => id), total: rows[0]?.total ?? 0 }
}
