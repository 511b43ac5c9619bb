import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { BindingId, ChatroomId, CompanyId, TaskId, TaskVersionId } from '../../identifiers.ts'
import { reasonMaxLength } from '../../limits.ts'
import { listOf } from '../../pagination.ts'
import { Count, DateTime, Nullable, OneOf, Ordinal, PlainText, Strict } from '../../schema.ts'
import { bindingStates } from '../../states/grant-states.ts'

/** A room's enablement of one task, pinned to an exact version (contract part 1, "Binding and granted job"). */
export const Binding = Type.Object({
  id: BindingId,
  company_id: CompanyId,
  chatroom_id: ChatroomId,
  task_id: TaskId,
  task_version_id: about('The version that the room has pinned.', TaskVersionId),
  generation: about('Rises each time the room enables the task again.', Ordinal, 1),
  share_generation: about('Generation of the share that it came from.', Ordinal, 1),
  target_authority_generation: about('Authority generation of the room when it was enabled.', Count, 1),
  state: about('Where the binding is in its life.', OneOf(bindingStates)),
  update_available: about(
    'A newer version is published; the pin never moves by itself.',
    Type.Boolean(),
    false,
  ),
  authority_applicable: about(
    'False after the room moved or was deleted: the binding no longer counts.',
    Type.Boolean(),
    true,
  ),
  accepted_at: about('When the pinned version was accepted.', Nullable(DateTime)),
  revoked_at: about('When it was revoked; null if it was not.', Nullable(DateTime), null),
})
export type Binding = Static<typeof Binding>

export const BindingCreateRequest = Strict({
  chatroom_id: ChatroomId,
  task_id: TaskId,
  task_version_id: about('The version to pin: published and active.', TaskVersionId),
})
export type BindingCreateRequest = Static<typeof BindingCreateRequest>

export const BindingAcceptVersionRequest = Strict({
  task_version_id: about('A newer published version of the same task.', TaskVersionId),
})
export type BindingAcceptVersionRequest = Static<typeof BindingAcceptVersionRequest>

export const BindingRevokeRequest = Strict({
  reason: about(
    'Why, for the record.',
    Type.Optional(PlainText({ maxLength: reasonMaxLength })),
    'No longer needed',
  ),
})
export type BindingRevokeRequest = Static<typeof BindingRevokeRequest>

/** `truncated`: further bindings are on the next page. */
export const BindingList = Type.Object({
  ...listOf(Binding).properties,
  truncated: about('Further bindings are on the next page.', Type.Boolean(), false),
})
export type BindingList = Static<typeof BindingList>
