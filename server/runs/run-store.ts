import { runMachine } from '@sandbox-jobs/contract/states/run-states.ts'
import type { RawBuilder, Selectable } from 'kysely'
import { sql } from 'kysely'
import { seenByKey, submittedBy } from '../access/own-runs.ts'
import { type ChargeColumns, chargeColumns, chargeCtes } from '../billing/holds/charge-statement.ts'
import type { Charge } from '../billing/holds/hold.ts'
import type { Executing, Queryable, Trx } from '../db/database.ts'
import { opaqueParam } from '../db/fast/opaque-param.ts'
import { type Placeholders, prepared } from '../db/fast/prepared.ts'
import { type ColumnExpressions, selectList } from '../db/fast/row-text.ts'
import type { RunsTable } from '../db/tables/runs.ts'
import { insertResponses, type ResponseColumns } from './submit/idempotency-store.ts'

/* Writes the table `runs`, as do `claim-store` and `transition`, and `run_inputs` with a new run. */

export type RunRow = Selectable<RunsTable>

/** The columns that a rendered run needs; the rest of the row is for workers. */
const shownColumns = [
  'id',
  'company_id',
  'chatroom_id',
  'task_id',
  'task_version_id',
  'state',
  'resource_profile',
  'principal_type',
  'principal_id',
  'auth_method',
  'submission_source',
  'timeout_seconds',
  'input_digest',
  'retry_of_run_id',
  'error_code',
  'error_detail',
  'exit_code',
  'failure_stage',
  'failure_source',
  'measured_ingress_bytes',
  'measured_egress_bytes',
  'queued_at',
  'claimed_at',
  'cancel_requested_at',
  'terminal_at',
  'secret_slot_provenance',
] as const satisfies readonly (keyof RunRow)[]

export type ShownRun = Pick<RunRow, (typeof shownColumns)[number]>

/** The columns that have the same value in every newly queued run. */
export const asQueued = {
  state: runMachine.initial,
  error_code: '',
  error_detail: '',
  exit_code: null,
  failure_stage: '',
  failure_source: '',
  measured_ingress_bytes: 0,
  measured_egress_bytes: 0,
  claimed_at: null,
  cancel_requested_at: null,
  terminal_at: null,
  secret_slot_provenance: null,
} as const satisfies Partial<ShownRun>

/** Notified by a commit that queued a run. */
export const queuedChannel = 'runs_queued'
/** Notified by a commit that requested the cancellation of a run; the payload is its id. */
export const cancelChannel = 'runs_cancel'
/** A run is to end at once, without its time to end. */
export const killChannel = 'runs_kill'

/** A newly queued run with its input. */
export type QueuedRun = ShownRun &
  Pick<RunRow, 'environment_version_id' | 'share_grant_id' | 'api_key_id'> & {
    input: Buffer
    /** Who submitted, as the audit log has it (`currentAudit`). */
    audit: string
  }

/** The columns stored for a newly queued run, and their types. */
const queuedColumns = {
  id: 'text',
  company_id: 'text',
  chatroom_id: 'text',
  task_id: 'text',
  task_version_id: 'text',
  environment_version_id: 'text',
  share_grant_id: 'text',
  resource_profile: 'text',
  principal_type: 'text',
  principal_id: 'text',
  auth_method: 'text',
  api_key_id: 'text',
  submission_source: 'text',
  timeout_seconds: 'int',
  input_digest: 'text',
  retry_of_run_id: 'text',
  queued_at: 'timestamptz',
  input: 'bytea',
  audit: 'text',
} as const satisfies Partial<Record<keyof QueuedRun, string>>

type QueuedColumns = { [Name in keyof typeof queuedColumns]: QueuedRun[Name][] }
const queuedNames = Object.keys(queuedColumns) as (keyof QueuedColumns)[]

const queuedInsert = (
  given: Placeholders<QueuedColumns>,
  beside: readonly RawBuilder<unknown>[] = [],
) => sql<never>`
    with requested as (
      select * from unnest(
        ${sql.join(queuedNames.map((name) => sql`${given[name]}::${sql.raw(queuedColumns[name])}[]`))}
      ) with ordinality as requested (${sql.join(queuedNames.map((name) => sql.ref(name)))}, place)
    ), queued as (
      insert into runs (id, company_id, chatroom_id, task_id, task_version_id, environment_version_id, share_grant_id,
        resource_profile, principal_type, principal_id, auth_method, api_key_id, submission_source, timeout_seconds,
        input_digest, retry_of_run_id, queued_at)
      select id, company_id, chatroom_id, task_id, task_version_id, environment_version_id, share_grant_id,
        resource_profile, principal_type, principal_id, auth_method, api_key_id, submission_source, timeout_seconds,
        input_digest, retry_of_run_id, queued_at + (place - 1) * interval '1 microsecond'
      from requested
    ), kept as (
      insert into run_inputs (run_id, company_id, content) select id, company_id, input from requested
    ), recorded as (
      insert into state_events (company_id, entity, entity_id, from_state, to_state)
      select company_id, ${sql.lit(runMachine.name)}, id, '', ${sql.lit(runMachine.initial)} from requested
    ), audited as (
      insert into audit_pending (company_id, change, object_type, object_id, chatroom_id, run_id, to_state, context)
      select company_id, 'insert', ${sql.lit(runMachine.name)}, id, chatroom_id, id, ${sql.lit(runMachine.initial)},
        audit
      from requested
    )${sql.join(
      beside.map((cte) => sql`, ${cte}`),
      sql``,
    )}
    select pg_notify(${sql.lit(queuedChannel)}, '')
  `

const insertQueued = prepared<QueuedColumns, never>((given) => queuedInsert(given))
const answered = (given: Placeholders<ResponseColumns>) => sql`answered as (${insertResponses(given)})`
const insertQueuedWithResponses = prepared<QueuedColumns & ResponseColumns, never>((given) =>
  queuedInsert(given, [answered(given)]),
)
const insertPriced = prepared<QueuedColumns & ChargeColumns, never>((given) =>
  queuedInsert(given, [chargeCtes(given)]),
)
const insertPricedWithResponses = prepared<QueuedColumns & ChargeColumns & ResponseColumns, never>((given) =>
  queuedInsert(given, [chargeCtes(given), answered(given)]),
)

/** What is stored with new runs: responses of their idempotency keys, and charges of those that have a price. */
interface StoredWithRuns {
  answers?: ResponseColumns
  charges: readonly Charge[]
}

/**
 * Queues runs in the given order: rows, inputs, first events and the notification of the workers, in one statement because
 * it is on the path of every submission. Each run's time is a microsecond after the previous one, so the queue keeps the
 * order.
 */
export async function insertRuns(
  trx: Queryable,
  runs: readonly QueuedRun[],
  { answers, charges }: StoredWithRuns,
): Promise<void> {
  const columns = Object.fromEntries(
    queuedNames.map((name) => [name, runs.map((run) => run[name])]),
  ) as QueuedColumns
  if (charges.length === 0) {
    await (answers ? insertQueuedWithResponses(trx, { ...columns, ...answers }) : insertQueued(trx, columns))
    return
  }
  const priced = { ...columns, ...chargeColumns(charges) }
  await (answers ? insertPricedWithResponses(trx, { ...priced, ...answers }) : insertPriced(trx, priced))
}

/** The session of a run that was queued in the same transaction. `waits`: no claim takes the run until it holds the session. */
export const setSession = (
  trx: Trx,
  run: { id: string; company_id: string },
  { id, waits }: { id: string; waits: boolean },
): Promise<unknown> =>
  trx
    .updateTable('runs')
    .set({ session_id: id, waits_for_session: waits })
    .where('id', '=', run.id)
    .where('company_id', '=', run.company_id)
    .execute()

/** The sessions of runs of one company, by the id of the run. */
export async function findSessionIds(
  db: Executing,
  companyId: string,
  runIds: readonly string[],
): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom('runs')
    .select(['id', 'session_id'])
    .where('company_id', '=', companyId)
    .where('id', 'in', runIds)
    .where('session_id', 'is not', null)
    .execute()
  return new Map(rows.map(({ id, session_id }) => [id, session_id ?? '']))
}

/** Notifies listeners when the transaction commits; a rollback notifies nobody. */
export async function notify(trx: Trx, channel: string, payload = ''): Promise<void> {
  await sql`select pg_notify(${channel}, ${payload})`.execute(trx)
}

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
  ShownRun & { place: number }
>(
  ({ ids, companyIds, chatroomIds, apiKeyIds }) => sql`
    select requested.place, ${selectList(runColumns)}
    from unnest(${ids}::text[], ${companyIds}::text[], ${chatroomIds}::text[], ${apiKeyIds}::text[])
      with ordinality as requested (id, company_id, chatroom_id, api_key_id, place)
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
  const byPlace = new Map(rows.map((row) => [row.place, row]))
  return keys.map((_, at) => byPlace.get(at + 1))
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
