import { sql } from 'kysely'
import type { Executing, Trx } from '../../db/database.ts'
import { type LostAuthority, lostAuthority } from '../model/run-authority-store.ts'

/** The claim of a run that a credential belongs to. */
export interface CallbackClaim {
  run_id: string
  company_id: string
  /** When the run was claimed. A worker that takes the run over raises the run's fence, and its sandbox keeps this one in its name. */
  fence: number
}

/** A run in progress that calls back. */
export interface CallbackRun {
  id: string
  company_id: string
  chatroom_id: string
  principal_type: 'user' | 'social_media_client'
  principal_id: string
  submission_source: string
  output_policy: unknown
  author: string
  publisher: string
  lost_authority: LostAuthority | null
}

const hasSandboxOf = (fence: number) => sql<boolean>`run.sandbox_id = run.id || '_' || ${String(fence)}`

const isInProgress = sql<boolean>`run.state in ('starting', 'running')`

/** The run, while it is in progress under that claim, of a version that may still run; undefined otherwise. */
export async function findCallbackRun(
  db: Executing,
  { run_id, company_id, fence }: CallbackClaim,
): Promise<CallbackRun | undefined> {
  const { rows } = await sql<CallbackRun>`
    select run.id, run.company_id, run.chatroom_id, run.principal_type, run.principal_id, run.submission_source,
      version.output_policy, version.created_by as author,
      coalesce(version.published_by, version.created_by) as publisher, ${lostAuthority} as lost_authority
    from runs run
    join task_versions version on version.id = run.task_version_id and version.company_id = run.company_id
    join tasks task on task.id = run.task_id and task.company_id = run.company_id
    where run.id = ${run_id} and run.company_id = ${company_id} and ${hasSandboxOf(fence)} and ${isInProgress}
      and version.state = 'published' and version.content_state = 'active'
      and task.state = 'active' and task.security_state = 'clear'
  `.execute(db)
  return rows[0]
}

/** Keeps the run from ending until the transaction ends; false if it has ended or was claimed again. */
export async function lockCallbackRun(
  trx: Trx,
  { run_id, company_id, fence }: CallbackClaim,
): Promise<boolean> {
  const { rows } = await sql`
    select from runs run
    where run.id = ${run_id} and run.company_id = ${company_id} and ${hasSandboxOf(fence)} and ${isInProgress}
    for share
  `.execute(trx)
  return rows.length > 0
}
