import { type Selectable, sql } from 'kysely'
import { acrossCompanies } from '../../db/across-companies.ts'
import type { Executing } from '../../db/database.ts'
import type { AuditEntriesTable } from '../../db/tables/audit.ts'

const byOperator = acrossCompanies('an operator follows an id on this machine')

export interface RunTrace {
  company_id: string
  chatroom_id: string
  task_id: string
  task_version_id: string
  state: string
  error_code: string
  exit_code: number | null
  failure_stage: string
  failure_source: string
  sandbox_id: string | null
  fence: number
  queued_at: Date
  claimed_at: Date | null
  started_at: Date | null
  cancel_requested_at: Date | null
  terminal_at: Date | null
}

export async function findRunTrace(db: Executing, id: string): Promise<RunTrace | undefined> {
  const { rows } = await sql<RunTrace>`${byOperator}
    select company_id, chatroom_id, task_id, task_version_id, state, error_code, exit_code, failure_stage, failure_source,
      sandbox_id, fence, queued_at, claimed_at, started_at, cancel_requested_at, terminal_at
    from runs where id = ${id}`.execute(db)
  return rows[0]
}

export interface BuildTrace {
  company_id: string
  environment_version_id: string
  state: string
  error_code: string
  queued_at: Date
  started_at: Date | null
  terminal_at: Date | null
}

export async function findBuildTrace(db: Executing, id: string): Promise<BuildTrace | undefined> {
  const { rows } = await sql<BuildTrace>`${byOperator}
    select company_id, environment_version_id, state, error_code, queued_at, started_at, terminal_at
    from build_attempts where id = ${id}`.execute(db)
  return rows[0]
}

export interface StageTrace {
  stage: string
  started_at: Date
  ended_at: Date | null
  outcome: string | null
  passes: number
}

export async function listStageTraces(db: Executing, id: string): Promise<StageTrace[]> {
  const { rows } = await sql<StageTrace>`${byOperator}
    select stage, started_at, ended_at, outcome, passes from build_stages where attempt_id = ${id}`.execute(
    db,
  )
  return rows
}

export type AuditTrace = Pick<
  Selectable<AuditEntriesTable>,
  | 'at'
  | 'company_id'
  | 'action'
  | 'actor_type'
  | 'actor_id'
  | 'request_id'
  | 'change'
  | 'object_type'
  | 'object_id'
  | 'run_id'
  | 'from_state'
  | 'to_state'
>

const auditColumns = sql`at, company_id, action, actor_type, actor_id, request_id, change, object_type, object_id, run_id,
  from_state, to_state`

/** Changes of one object. */
export async function listChangesOf(
  db: Executing,
  companyId: string,
  { id, limit }: { id: string; limit: number },
): Promise<AuditTrace[]> {
  const { rows } = await sql<AuditTrace>`
    select ${auditColumns} from audit_entries where company_id = ${companyId} and object_id = ${id}
    order by at desc, sequence desc limit ${limit}`.execute(db)
  return rows
}

/** Changes that a request of a company made in a time. */
export async function listChangesByRequest(
  db: Executing,
  { companyId, from, to }: { companyId: string; from: Date; to: Date },
  { id, limit }: { id: string; limit: number },
): Promise<AuditTrace[]> {
  const { rows } = await sql<AuditTrace>`
    select ${auditColumns} from audit_entries
    where company_id = ${companyId} and at between ${from} and ${to} and request_id = ${id}
    order by at desc, sequence desc limit ${limit}`.execute(db)
  return rows
}

/** The same where no log knows company and time any more: it reads the whole audit log. */
export async function searchChangesByRequest(
  db: Executing,
  { id, limit }: { id: string; limit: number },
): Promise<AuditTrace[]> {
  const { rows } = await sql<AuditTrace>`${byOperator}
    select ${auditColumns} from audit_entries where request_id = ${id}
    order by at desc, sequence desc limit ${limit}`.execute(db)
  return rows
}
