import { sql } from 'kysely'
import { seenByKey } from '../../../access/own-runs.ts'
import type { Executing, Trx } from '../../../db/database.ts'
import { selectList } from '../../../db/fast/row-text.ts'
import { type ListedRun, queuedAtUs, type RunListFilter, runColumns } from '../../model/run-store.ts'

/* Writes the table `run_metadata`. */

interface RunKey {
  id: string
  company_id: string
}

/** Room and time are those of the run's row, which the same transaction has made. */
export const insertMetadata = (trx: Trx, run: RunKey, metadata: Record<string, string>): Promise<unknown> =>
  sql`
    insert into run_metadata (run_id, company_id, chatroom_id, key, value, queued_at)
    select runs.id, runs.company_id, runs.chatroom_id, entry.key, entry.value, runs.queued_at
    from runs, unnest(${Object.keys(metadata)}::text[], ${Object.values(metadata)}::text[]) as entry (key, value)
    where runs.id = ${run.id} and runs.company_id = ${run.company_id}
  `.execute(trx)

export const findMetadata = (
  db: Executing,
  companyId: string,
  runIds: readonly string[],
): Promise<{ run_id: string; key: string; value: string }[]> =>
  db
    .selectFrom('run_metadata')
    .select(['run_id', 'key', 'value'])
    .where('company_id', '=', companyId)
    .where('run_id', 'in', runIds)
    .orderBy('key')
    .execute()

export const deleteMetadata = (trx: Trx, runIds: readonly string[], companyIds: readonly string[]) =>
  trx.deleteFrom('run_metadata').where('run_id', 'in', runIds).where('company_id', 'in', companyIds).execute()

export type MetadataPair = readonly [key: string, value: string]

/**
 * `listRuns` of the runs that have all pairs: those with the first one are read in order by its index, and of each the rest
 * is compared, so that a rare value does not cost a scan of the room.
 */
export async function listRunsWithMetadata(
  db: Executing,
  filter: Omit<RunListFilter, 'submitter'>,
  [first, ...others]: readonly [MetadataPair, ...MetadataPair[]],
): Promise<ListedRun[]> {
  const { companyId, chatroomId, before, states } = filter
  const older = before
    ? sql`(m.queued_at, m.run_id) <
        (to_timestamp(0) + ${before.queuedAtUs}::bigint * interval '1 microsecond', ${before.id})`
    : sql`true`
  const hasOthers = others.map(
    ([key, value]) => sql`exists (select from run_metadata o where o.run_id = m.run_id
      and o.company_id = m.company_id and o.key = ${key} and o.value = ${value})`,
  )
  const { rows } = await sql<ListedRun>`
    select ${selectList(runColumns)}, ${queuedAtUs} as queued_at_us
    from run_metadata m
    cross join lateral (select * from runs where runs.id = m.run_id and runs.company_id = m.company_id limit 1) runs
    where m.company_id = ${companyId} and m.chatroom_id = ${chatroomId}
      and m.key = ${first[0]} and m.value = ${first[1]} and ${older}
      and ${sql.join([sql`true`, ...hasOthers], sql` and `)}
      and ${states ? sql`runs.state = any(${[...states]}::text[])` : sql`true`}
      and ${seenByKey(sql<string | null>`${filter.apiKeyId ?? null}::text`)}
    order by m.queued_at desc, m.run_id desc
    limit ${filter.limit}
  `.execute(db)
  return rows
}
