import type { Binding } from '@sandbox-jobs/contract/resources/tasks/binding.ts'
import type { BindingView } from './binding-store.ts'

/** True while the room has the authority generation that it had when the binding was created. */
export const isApplicable = (row: BindingView): boolean =>
  row.room_deleted_at === null && row.target_authority_generation === row.authority_generation

/** Renders a binding (contract part 1, "Binding and granted job"). A revoked one reports no available update. */
export const renderBinding = (row: BindingView): Binding => ({
  id: row.id,
  company_id: row.company_id,
  chatroom_id: row.chatroom_id,
  task_id: row.task_id,
  task_version_id: row.task_version_id,
  generation: row.generation,
  share_generation: row.share_generation,
  target_authority_generation: row.target_authority_generation,
  state: row.state as Binding['state'],
  update_available: row.state === 'enabled' && row.has_newer_version,
  authority_applicable: isApplicable(row),
  accepted_at: row.accepted_at.toISOString(),
  revoked_at: row.revoked_at?.toISOString() ?? null,
})
