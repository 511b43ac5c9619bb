import type { RunDetail } from '@sandbox-jobs/contract/resources/runs/run.ts'
import { failureHint } from '@sandbox-jobs/contract/resources/runs/run-failure.ts'
import { type WaitReason, waitAction } from '@sandbox-jobs/contract/resources/runs/run-wait.ts'
import type { ShownRun } from '../model/run-row.ts'
import type { QueueWait } from '../queue/run-waits.ts'

/** A run as the contract shows it (part 1, "Run"). `wait` is given for queued runs. */
export function renderRun(row: ShownRun, wait: QueueWait | undefined): RunDetail {
  const waiting = waitOf(row, wait)
  const detail = {
    id: row.id,
    company_id: row.company_id,
    chatroom_id: row.chatroom_id,
    status: row.state,
    resource_profile: row.resource_profile,
    principal_type: row.principal_type,
    principal_id: row.principal_id,
    auth_method: row.auth_method,
    task_id: row.task_id,
    task_version_id: row.task_version_id,
    timeout_seconds: row.timeout_seconds,
    submission_source: row.submission_source,
    error_code: row.error_code,
    error_detail: row.error_detail,
    exit_code: row.exit_code,
    failure_stage: row.failure_stage,
    failure_source: row.failure_source,
    wait_reason: waiting.reason,
    next_action: waitAction(waiting.reason),
    wait_since: iso(waiting.since),
    queue_position: wait?.position ?? null,
    eta_seconds: wait?.etaSeconds ?? null,
    failure_hint: failureHint(row.error_code, row.error_detail),
    measured_ingress_bytes: row.measured_ingress_bytes,
    measured_egress_bytes: row.measured_egress_bytes,
    input_digest: row.input_digest,
    retry_of_run_id: row.retry_of_run_id,
    queued_at: iso(row.queued_at),
    terminal_at: iso(row.terminal_at),
    secret_slot_provenance: provenanceOf(row.secret_slot_provenance),
  }
  // The CHECKs of the table hold what the literal types say.
  return detail as RunDetail
}

/** Entries of another form are left out; null where none is left. */
function provenanceOf(stored: Record<string, unknown> | null): RunDetail['secret_slot_provenance'] {
  const entries = Object.entries(stored ?? {}).filter(([, entry]) => isProvenance(entry))
  return entries.length === 0 ? null : (Object.fromEntries(entries) as RunDetail['secret_slot_provenance'])
}

const isProvenance = (entry: unknown): boolean =>
  typeof entry === 'object' &&
  entry !== null &&
  'resolved_via' in entry &&
  ['borrower', 'owner'].includes(String(entry.resolved_via)) &&
  'consumer_scope' in entry &&
  ['chatroom', 'department', 'company'].includes(String(entry.consumer_scope))

const iso = (time: Date | null): string | null => time?.toISOString() ?? null

function waitOf(row: ShownRun, wait: QueueWait | undefined): { reason: WaitReason; since: Date | null } {
  switch (row.state) {
    case 'queued':
      return { reason: wait?.reason ?? 'awaiting_dispatch', since: row.queued_at }
    case 'starting':
      return { reason: 'container_starting', since: row.claimed_at }
    case 'cancel_requested':
      return { reason: 'cancel_pending', since: row.cancel_requested_at }
    default:
      return { reason: '', since: null }
  }
}
