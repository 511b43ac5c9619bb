import { runMachine } from '@sandbox-jobs/contract/states/run-states.ts'
import { type QueryExecutorProvider, type RawBuilder, sql } from 'kysely'
import { type ChargeColumns, chargeColumns, chargeCtes } from '../../billing/holds/charge-statement.ts'
import type { Charge } from '../../billing/holds/hold.ts'
import { type Placeholders, prepared } from '../../db/fast/prepared.ts'
import { afterCommit } from '../../db/notify.ts'
import type { RunRow, ShownRun } from '../model/run-row.ts'
import { queuedChannel } from '../model/run-store.ts'
import { insertResponses, type ResponseColumns } from './idempotency-store.ts'

/* Writes the table `runs`, as do `claim-store` and `transition`, and `run_inputs` with a new run. */

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

/** A newly queued run with its input. */
export type QueuedRun = ShownRun &
  Pick<RunRow, 'environment_version_id' | 'share_grant_id' | 'api_key_id'> & {
    input: Buffer
    /** The submitter, as the audit log has it (`currentAudit`). */
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
    select ${afterCommit(queuedChannel)}
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

/** Rows stored with new runs: responses of their idempotency keys, and charges of those that have a price. */
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
  trx: QueryExecutorProvider,
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
