import { type Static, Type } from 'typebox'
import { Identifier } from '../../ids.ts'
import { reasonMaxLength } from '../../limits.ts'
import { listOf } from '../../pagination.ts'
import { Count, DateTime, Nullable, OneOf, Ordinal, PlainText, Strict } from '../../schema.ts'
import { bindingStates } from '../../states/grant-states.ts'

/** A room's enablement of one task, pinned to an exact version (contract part 1, "Binding and granted job"). */
export const Binding = Type.Object({
  id: Identifier,
  company_id: Identifier,
  chatroom_id: Identifier,
  task_id: Identifier,
  task_version_id: Identifier,
  generation: Ordinal,
  share_generation: Ordinal,
  target_authority_generation: Count,
  state: OneOf(bindingStates),
  /** A newer version is published; the pin never changes automatically. */
  update_available: Type.Boolean(),
  authority_applicable: Type.Boolean(),
  accepted_at: Nullable(DateTime),
  revoked_at: Nullable(DateTime),
})
export type Binding = Static<typeof Binding>

export const BindingCreateRequest = Strict({
  chatroom_id: Identifier,
  task_id: Identifier,
  task_version_id: Identifier,
})
export type BindingCreateRequest = Static<typeof BindingCreateRequest>

export const BindingAcceptVersionRequest = Strict({ task_version_id: Identifier })
export type BindingAcceptVersionRequest = Static<typeof BindingAcceptVersionRequest>

export const BindingRevokeRequest = Strict({
  reason: Type.Optional(PlainText({ maxLength: reasonMaxLength })),
})
export type BindingRevokeRequest = Static<typeof BindingRevokeRequest>

/** `truncated`: further bindings are on the next page. */
export const BindingList = Type.Object({ ...listOf(Binding).properties, truncated: Type.Boolean() })
export type BindingList = Static<typeof BindingList>
