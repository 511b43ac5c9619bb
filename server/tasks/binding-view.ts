import type { Binding } from '@sandbox-jobs/contract/resources/binding.ts'
import type { BindingView } from './binding-store.ts'
import { isOutdated } from './render-task-version.ts'

/** True while the room stands as it did when the binding was made. */
export const isApplicable = (row: BindingView): boolean =>
  row.room_deleted_at === null && row.target_authority_generation === row.authority_generation

/** A binding as the contract shows it (part 1, "Binding and granted job"). A revoked one has nothing to update. */
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
  update_available:
    row.state === 'enabled' && isOutdated(row.task_version_id, row.current_published_version_id),
  authority_applicable: isApplicable(row),
  accepted_at: row.accepted_at.toISOString(),
  revoked_at: row.revoked_at?.toISOString() ?? null,
})
