import type { SecretSlotPolicies } from '@sandbox-jobs/contract/resources/tasks/secret-slot.ts'
import type { ShareGrant } from '@sandbox-jobs/contract/resources/tasks/share.ts'
import type { ShareRow } from './share-store.ts'

/**
 * The wire form of a share, for owners. `targetGeneration` is the current authority generation of the target,
 * undefined if the target was deleted.
 */
export const renderShare = (row: ShareRow, targetGeneration: number | undefined): ShareGrant => ({
  id: row.id,
  company_id: row.company_id,
  task_id: row.task_id,
  target_kind: row.target_kind as ShareGrant['target_kind'],
  target_id: row.target_id,
  generation: row.generation,
  state: row.state as ShareGrant['state'],
  active: row.state === 'active',
  authority_applicable: row.target_authority_generation === targetGeneration,
  owner_authority_generation: row.owner_authority_generation,
  target_authority_generation: row.target_authority_generation,
  revoked_at: row.revoked_at?.toISOString() ?? null,
  revoke_reason: row.revoke_reason,
  secret_slot_policies: row.secret_slot_policies as SecretSlotPolicies | null,
})
