import type { SecretApproval } from '@sandbox-jobs/contract/resources/secrets/secret-approval.ts'
import type { SecretApprovalRow } from './secret-approval-store.ts'

export const renderApproval = (row: SecretApprovalRow): SecretApproval => ({
  id: row.id,
  company_id: row.company_id,
  consumer_scope: row.consumer_scope as SecretApproval['consumer_scope'],
  consumer_id: row.consumer_id,
  owner_scope: row.owner_scope as SecretApproval['owner_scope'],
  owner_id: row.owner_id,
  task_id: row.task_id,
  task_version_id: row.task_version_id,
  task_version_digest: row.task_version_digest,
  slot_set_hash: row.slot_set_hash,
  generation: row.generation,
  state: row.state as SecretApproval['state'],
  active: row.state === 'active',
  created_at: row.created_at.toISOString(),
  revoked_at: row.revoked_at?.toISOString() ?? null,
})
