import type { Executing } from '../../db/database.ts'
import { type AuditEntryRow, findBrokenEntry, insertAuditEntry, listAuditEntries } from './audit-log-store.ts'

export { listAuditEntries } from './audit-log-store.ts'

/*
 * The audit log of operator actions outside the API, by commands and in the operator console. An action is recorded
 * before it starts, so that no action can happen without a record. Actions that changed nothing or failed are in the log too.
 */

/** One recorded act. `details` contain no secret. */
export interface AuditEntry {
  act:
    | 'backup'
    | 'restore'
    | 'psql'
    | 'pg_dump'
    | 'company_set'
    | 'prices_apply'
    | 'budget_set'
    | 'directory_apply'
    | 'password_set'
    | 'image_block'
    | 'image_unblock'
    | 'image_push'
    | 'build_fence_on'
    | 'build_fence_off'
    | 'kill_switch_on'
    | 'kill_switch_off'
    | 'environment_publish'
    | 'environment_archive'
    | 'finding_block'
    | 'finding_unblock'
    | 'runner_release_approve'
    | 'signing_key_rotate'
    | 'storage_recount'
    | 'run_end'
    | 'queue_empty'
    | 'executor_drain'
    | 'executor_resume'
    | 'executor_remove'
    | 'signing_key_retire'
    | 'token_key_rotate'
    | 'link_key_rotate'
    | 'transit_key_rotate'
    | 'transit_key_retire'
    | 'secret_key_rotate'
    | 'secret_key_retire'
    | 'keys_make'
    | 'pepper_rotate'
    | 'pepper_retire'
    | 'root_key_rotate'
    | 'root_key_retire'
    | 'secret_pepper_rotate'
    | 'secret_pepper_retire'
    | 'gateway_key_issue'
    | 'gateway_key_revoke'
    | 'vulnerabilities_import'
    | 'console_code'
    | 'console_end'
  subject?: string
  details?: object
}

const subjectMaxLength = 256

/** Records an act of an account of the machine. */
export async function recordAuditEntry(
  db: Executing,
  { act, subject = '', details = {} }: AuditEntry,
  account: string,
): Promise<void> {
  await insertAuditEntry(db, { account, act, subject: subject.slice(0, subjectMaxLength), details })
}

export interface AuditLog {
  /** Newest first. */
  items: AuditEntryRow[]
  /** Number of the first entry that was changed, or before which entries are missing. Null: none. */
  broken_at: number | null
}

/** The newest entries, and whether the whole log is intact. Removal of the newest entries is not detected. */
export async function readAuditLog(db: Executing, limit: number): Promise<AuditLog> {
  return { items: await listAuditEntries(db, limit), broken_at: (await findBrokenEntry(db)) ?? null }
}
