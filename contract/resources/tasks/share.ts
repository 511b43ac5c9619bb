import { type Static, Type } from 'typebox'
import { Identifier } from '../../ids.ts'
import { reasonMaxLength } from '../../limits.ts'
import { listOf } from '../../pagination.ts'
import { Count, DateTime, Nullable, Omissible, OneOf, Ordinal, PlainText, Strict } from '../../schema.ts'
import { shareGrantStates } from '../../states/grant-states.ts'
import { Scope } from '../companies/owner-scope.ts'
import { SecretSlotPolicies } from './secret-slot.ts'

/** Makes a task usable by a chatroom, a department or the company (contract part 1, "Share grant"). */
export const ShareGrant = Type.Object({
  id: Identifier,
  company_id: Identifier,
  task_id: Identifier,
  target_kind: Scope,
  target_id: Type.String(),
  generation: Ordinal,
  state: OneOf(shareGrantStates),
  active: Type.Boolean(),
  /** False if the target has moved, was deleted, or has a newer authority generation. */
  authority_applicable: Type.Boolean(),
  owner_authority_generation: Count,
  target_authority_generation: Count,
  revoked_at: Nullable(DateTime),
  revoke_reason: Type.String(),
  secret_slot_policies: Nullable(SecretSlotPolicies),
})
export type ShareGrant = Static<typeof ShareGrant>

export const ShareGrantList = listOf(ShareGrant)
export type ShareGrantList = Static<typeof ShareGrantList>

/** The server checks the policies and returns `secret_slot_policies_invalid`. */
export const ShareCreateRequest = Strict({
  target_kind: Scope,
  target_id: Identifier,
  secret_slot_policies: Omissible(Type.Record(Type.String(), Type.Unknown())),
})
export type ShareCreateRequest = Static<typeof ShareCreateRequest>

export const ShareRevokeRequest = Strict({
  reason: Type.Optional(PlainText({ maxLength: reasonMaxLength })),
})
export type ShareRevokeRequest = Static<typeof ShareRevokeRequest>
