import { type Static, Type } from 'typebox'
import { Digest } from '../../digest.ts'
import { Identifier } from '../../ids.ts'
import { approvedSlotsMax, reasonMaxLength } from '../../limits.ts'
import { listOf } from '../../pagination.ts'
import { DateTime, Nullable, OneOf, Ordinal, PlainText, Strict } from '../../schema.ts'
import { secretApprovalStates } from '../../states/secret-states.ts'
import { Scope } from '../companies/owner-scope.ts'
import { SecretSlotName } from '../tasks/secret-slot.ts'

/** Permits one exact version to use a consumer's secrets (contract part 1, "Secrets and approvals"). */
export const SecretApproval = Type.Object({
  id: Identifier,
  company_id: Identifier,
  consumer_scope: Scope,
  consumer_id: Type.String(),
  /** Owner of the task. */
  owner_scope: Scope,
  owner_id: Type.String(),
  task_id: Identifier,
  task_version_id: Identifier,
  task_version_digest: Digest,
  /** sha256 of the sorted slot names with a line feed between them. */
  slot_set_hash: Digest,
  generation: Ordinal,
  state: OneOf(secretApprovalStates),
  active: Type.Boolean(),
  created_at: DateTime,
  revoked_at: Nullable(DateTime),
})
export type SecretApproval = Static<typeof SecretApproval>

/** `truncated`: further approvals are on the next page. */
export const SecretApprovalList = Type.Object({
  ...listOf(SecretApproval).properties,
  truncated: Type.Boolean(),
})
export type SecretApprovalList = Static<typeof SecretApprovalList>

/**
 * The digest must be the published `canonical_digest`, else 409. `slot_names` are the slots that runs receive from
 * the consumer.
 */
export const SecretApprovalCreateRequest = Strict({
  consumer_scope: Scope,
  consumer_id: Identifier,
  task_id: Identifier,
  task_version_id: Identifier,
  task_version_digest: Digest,
  slot_names: Type.Array(SecretSlotName, { minItems: 1, maxItems: approvedSlotsMax, uniqueItems: true }),
  risk_accepted: Type.Literal(true),
})
export type SecretApprovalCreateRequest = Static<typeof SecretApprovalCreateRequest>

export const SecretApprovalRevokeRequest = Strict({
  reason: Type.Optional(PlainText({ maxLength: reasonMaxLength })),
})
export type SecretApprovalRevokeRequest = Static<typeof SecretApprovalRevokeRequest>
