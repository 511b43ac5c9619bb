import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { ChatroomId, CompanyId, ShareId, TaskId } from '../../identifiers.ts'
import { exampleId } from '../../ids.ts'
import { reasonMaxLength } from '../../limits.ts'
import { listOf } from '../../pagination.ts'
import { Count, DateTime, Nullable, Omissible, OneOf, Ordinal, PlainText, Strict } from '../../schema.ts'
import { shareGrantStates } from '../../states/grant-states.ts'
import { Scope } from '../companies/owner-scope.ts'
import { SecretSlotPolicies } from './secret-slot.ts'

/** Makes a task usable by a chatroom, a department or the company (contract part 1, "Share grant"). */
export const ShareGrant = Type.Object({
  id: ShareId,
  company_id: CompanyId,
  task_id: TaskId,
  target_kind: about('Kind of who the task is shared with.', Scope, 'chatroom'),
  target_id: about('Identifier of who it is shared with.', Type.String(), exampleId('chatroom')),
  generation: about('Rises each time the task is shared again with the same target.', Ordinal, 1),
  state: about('Where the share is in its life.', OneOf(shareGrantStates)),
  active: about('Whether it counts now.', Type.Boolean(), true),
  authority_applicable: about(
    'False if the target moved, was deleted, or has a newer authority generation.',
    Type.Boolean(),
    true,
  ),
  owner_authority_generation: about('Authority generation of the owner at the time of sharing.', Count, 1),
  target_authority_generation: about('Authority generation of the target at the time of sharing.', Count, 1),
  revoked_at: about('When it was revoked; null if it was not.', Nullable(DateTime), null),
  revoke_reason: about('Why it was revoked; empty without a reason.', Type.String(), ''),
  secret_slot_policies: about(
    'Supplier of each secret, by slot; null: the borrower.',
    Nullable(SecretSlotPolicies),
    { API_TOKEN: 'borrower' },
  ),
})
export type ShareGrant = Static<typeof ShareGrant>

export const ShareGrantList = listOf(ShareGrant)
export type ShareGrantList = Static<typeof ShareGrantList>

/** The server checks the policies and returns `secret_slot_policies_invalid`. */
export const ShareCreateRequest = Strict({
  target_kind: about('Kind of who to share with.', Scope, 'chatroom'),
  target_id: about('Identifier of who to share with.', ChatroomId),
  secret_slot_policies: about(
    'Supplier of each secret, by slot: `borrower` (default), `owner` or `owner_overridable`.',
    Omissible(Type.Record(Type.String(), Type.Unknown())),
    { API_TOKEN: 'borrower' },
  ),
})
export type ShareCreateRequest = Static<typeof ShareCreateRequest>

export const ShareRevokeRequest = Strict({
  reason: about(
    'Why, for the record.',
    Type.Optional(PlainText({ maxLength: reasonMaxLength })),
    'No longer needed',
  ),
})
export type ShareRevokeRequest = Static<typeof ShareRevokeRequest>
