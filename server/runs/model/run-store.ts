import { sql } from 'kysely'
import { seenByKey, submittedBy } from '../../access/own-runs.ts'
import { acrossCompanies } from '../../db/across-companies.ts'
import type { Executing, Trx } from '../../db/database.ts'
import { opaqueParam } from '../../db/fast/params.ts'
import { prepared } from '../../db/fast/prepared.ts'
import { type ColumnExpressions, selectList } from '../../db/fast/row-text.ts'
import type { ClaimedRun } from './claimed-run.ts'
import { type ShownRun, shownColumns } from './run-row.ts'

/* Reads the table `runs`. */

/** Notified by a commit that queued a run. */
export const queuedChannel = 'runs_queued'
/** Notified by a commit that requested the cancellation of a run; the payload is its id. */
export const cancelChannel = 'runs_cancel'
/** A run is to end at once, without its time to end. */
export const killChannel = 'runs_kill'

export interface RunKey {
  companyId: string
  chatroomId: string
  id: string
  /** Set for a restricted key, which finds only the runs that it submitted. */
  apiKeyId?: string | undefined
}

/**
 * SQL fragment: the run whose id is in a column, as `runs`. It is selected by id alone and compared afterwards: otherwise a
 * plan made while the table was short might scan all runs of a company.
 */
export const runById = (column: string) => sql`
    lateral (select * from runs where runs.id = ${sql.ref(column)} limit 1) runs`

/** The columns of a rendered run. */
export const runColumns = Object.fromEntries(
  shownColumns.map((column) => [column, sql.ref(`runs.${column}`)]),
) as ColumnExpressions<ShownRun>

const runsByKey = prepared<
  { ids: string[]; companyIds: string[]; chatroomIds: string[]; apiKeyIds: (string | null)[] },
  ShownRun & { ordinal: number }
>(
  ({ ids, companyIds, chatroomIds, apiKeyIds }) => sql`
    select requested.ordinal, ${selectList(runColumns)}
    from unnest(${ids}::text[], ${companyIds}::text[], ${chatroomIds}::text[], ${apiKeyIds}::text[])
      with ordinality as requested (id, company_id, chatroom_id, api_key_id, ordinal)
    join ${runById('requested.id')} on runs.company_id = requested.company_id and runs.chatroom_id = requested.chatroom_id
      and ${seenByKey(sql.ref('requested.api_key_id'))}
  `,
)

/** The run of each key, in the order of the keys. */
export async function findRuns(db: Executing, keys: readonly RunKey[]): Promise<(ShownRun | undefined)[]> {
  const rows = await runsByKey(db, {
    ids: keys.map(({ id }) => id),
    companyIds: keys.map(({ companyId }) => companyId),
    chatroomIds: keys.map(({ chatroomId }) => chatroomId),
    apiKeyIds: keys.map(({ apiKeyId }) => apiKeyId ?? null),
  })
  const byOrdinal = new Map(rows.map((row) => [row.ordinal, row]))
  return keys.map((_, at) => byOrdinal.get(at + 1))
}

export const findRun = async (db: Executing, key: RunKey): Promise<ShownRun | undefined> =>
  (await findRuns(db, [key]))[0]

/** A run that something else has given access to. */
export const findRunById = (
  db: Executing,
  run: { id: string; company_id: string },
): Promise<ShownRun | undefined> =>
  db
    .selectFrom('runs')
    .select(shownColumns)
    .where('id', '=', run.id)
    .where('company_id', '=', run.company_id)
    .executeTakeFirst()

/** Measurements of a run that are not part of the rendered run. */
export const findUsage = (db: Executing, run: Pick<ShownRun, 'id' | 'company_id'>) =>
  db
    .selectFrom('runs')
    .select(['peak_memory_bytes', 'cpu_ms', 'started_at'])
    .where('id', '=', run.id)
    .where('company_id', '=', run.company_id)
    .executeTakeFirst()

export interface RunListFilter {
  companyId: string
  chatroomId: string
  apiKeyId?: string | undefined
  /** Only runs that this principal submitted. */
  submitter?: { type: ShownRun['principal_type']; id: string } | undefined
  states?: readonly string[] | undefined
  /** The last row of the previous page: its time in microseconds since 1970, and its id. */
  before?: { queuedAtUs: number; id: string } | undefined
  limit: number
}

export type ListedRun = ShownRun & { queued_at_us: number }

/** The time of a row to the microsecond, which JavaScript's dates cannot hold. */
export const queuedAtUs = sql<number>`(extract(epoch from runs.queued_at) * 1000000)::bigint`

/** Condition on `runs`: after the given row, newest first. */
export const olderThan = (last: { queuedAtUs: number; id: string }) => sql<boolean>`
  (runs.queued_at, runs.id) < (to_timestamp(0) + ${last.queuedAtUs}::bigint * interval '1 microsecond', ${last.id})`

/** Newest first by (`queued_at`, `id`). */
export function listRuns(db: Executing, filter: RunListFilter): Promise<ListedRun[]> {
  let query = db
    .selectFrom('runs')
    .select(shownColumns)
    .select(queuedAtUs.as('queued_at_us'))
    .where('company_id', '=', opaqueParam(filter.companyId, 'text'))
    .where('chatroom_id', '=', opaqueParam(filter.chatroomId, 'text'))
  if (filter.apiKeyId !== undefined) query = query.where(submittedBy(sql.val(filter.apiKeyId)))
  if (filter.submitter) {
    const { type, id } = filter.submitter
    query = query.where('principal_id', '=', id).where('principal_type', '=', type)
  }
  if (filter.states) query = query.where('state', 'in', filter.states)
  if (filter.before) query = query.where(olderThan(filter.before))
  return query
    .orderBy('queued_at', 'desc')
    .orderBy('id', 'desc')
    .limit(opaqueParam(filter.limit, 'bigint'))
    .execute()
}

/** Runs of a task in which `findLastRunId` looks. */
const lastRunsMax = 1000

/** The newest run of a task in a room that a person or a key submitted, among the newest ones of the task. */
export async function findLastRunId(
  db: Executing,
  of: Pick<RunListFilter, 'companyId' | 'chatroomId' | 'apiKeyId'> & {
    taskId: string
    submitter: NonNullable<RunListFilter['submitter']>
  },
): Promise<string | undefined> {
  const newest = db
    .selectFrom('runs')
    .select(['id', 'queued_at', 'chatroom_id', 'principal_id', 'principal_type', 'api_key_id'])
    .where('company_id', '=', of.companyId)
    .where('task_id', '=', of.taskId)
    .orderBy('queued_at', 'desc')
    .orderBy('id', 'desc')
    .limit(lastRunsMax)
  const row = await db
    .selectFrom(newest.as('newest'))
    .select('id')
    .where('chatroom_id', '=', of.chatroomId)
    .where('principal_id', '=', of.submitter.id)
    .where('principal_type', '=', of.submitter.type)
    .$if(of.apiKeyId !== undefined, (query) => query.where('api_key_id', '=', of.apiKeyId ?? null))
    .orderBy('queued_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.id
}

/** A task's queued runs, locked until the transaction ends. */
export async function lockQueuedRunsOfTask(
  trx: Trx,
  companyId: string,
  taskId: string,
): Promise<{ id: string; company_id: string }[]> {
  return trx
    .selectFrom('runs')
    .select(['id', 'company_id'])
    .where('company_id', '=', companyId)
    .where('task_id', '=', taskId)
    .where('state', '=', 'queued')
    .orderBy('id')
    .forUpdate()
    .execute()
}

/** Runs that have not ended, of all holders, with their current fence. */
export async function listUnfinished(db: Executing, most: number): Promise<ClaimedRun[]> {
  const { rows } = await sql<ClaimedRun>`${acrossCompanies('the operator restores runs of all companies')}
    select id, company_id as "companyId", state, fence, coalesce(sandbox_id, '') as "sandboxId" from runs
    where terminal_at is null order by id limit ${most}
  `.execute(db)
  return rows
}
