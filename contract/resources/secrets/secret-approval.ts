import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { Digest } from '../../digest.ts'
import { ChatroomId, CompanyId, SecretApprovalId, TaskId, TaskVersionId } from '../../identifiers.ts'
import { exampleId } from '../../ids.ts'
import { approvedSlotsMax, reasonMaxLength } from '../../limits.ts'
import { listOf } from '../../pagination.ts'
import { DateTime, Nullable, OneOf, Ordinal, PlainText, Strict } from '../../schema.ts'
import { secretApprovalStates } from '../../states/secret-states.ts'
import { Scope } from '../companies/owner-scope.ts'
import { SecretSlotName } from '../tasks/secret-slot.ts'

/** Permits one exact version to use a consumer's secrets (contract part 1, "Secrets and approvals"). */
export const SecretApproval = Type.Object({
  id: SecretApprovalId,
  company_id: CompanyId,
  consumer_scope: about('Kind of the consumer whose secrets may be used.', Scope, 'chatroom'),
  consumer_id: about('Identifier of the consumer.', Type.String(), exampleId('chatroom')),
  owner_scope: about('Kind of the owner of the task.', Scope, 'department'),
  owner_id: about('Identifier of the owner of the task.', Type.String(), exampleId('department')),
  task_id: TaskId,
  task_version_id: TaskVersionId,
  task_version_digest: about('Digest of exactly what was approved.', Digest),
  slot_set_hash: about('The sha256 of the sorted slot names with a line feed between them.', Digest),
  generation: about('Rises with each approval of the same version by the same consumer.', Ordinal, 1),
  state: about('Where the approval is in its life.', OneOf(secretApprovalStates)),
  active: about('Whether it counts now.', Type.Boolean(), true),
  created_at: about('When it was created.', DateTime),
  revoked_at: about('When it was revoked; null if it was not.', Nullable(DateTime), null),
})
export type SecretApproval = Static<typeof SecretApproval>

/** `truncated`: further approvals are on the next page. */
export const SecretApprovalList = Type.Object({
  ...listOf(SecretApproval).properties,
  truncated: about('Further approvals are on the next page.', Type.Boolean(), false),
})
export type SecretApprovalList = Static<typeof SecretApprovalList>

/**
 * The digest must be the published `canonical_digest`, else 409. `slot_names` are the slots that runs receive from
 * the consumer.
 */
export const SecretApprovalCreateRequest = Strict({
  consumer_scope: about('Kind of the consumer whose secrets may be used.', Scope, 'chatroom'),
  consumer_id: about('Identifier of the consumer.', ChatroomId),
  task_id: TaskId,
  task_version_id: TaskVersionId,
  task_version_digest: about('The published `canonical_digest`; another one gets 409.', Digest),
  slot_names: about(
    'Exactly the slots that runs get from this consumer.',
    Type.Array(SecretSlotName, { minItems: 1, maxItems: approvedSlotsMax, uniqueItems: true }),
    ['API_TOKEN'],
  ),
  risk_accepted: about('Confirms that the code of the version will see the values.', Type.Literal(true)),
})
export type SecretApprovalCreateRequest = Static<typeof SecretApprovalCreateRequest>

export const SecretApprovalRevokeRequest = Strict({
  reason: about(
    'Why, for the record.',
    Type.Optional(PlainText({ maxLength: reasonMaxLength })),
    'No longer needed',
  ),
})
export type SecretApprovalRevokeRequest = Static<typeof SecretApprovalRevokeRequest>
