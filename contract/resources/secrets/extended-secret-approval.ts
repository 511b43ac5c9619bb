import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { exampleId } from '../../ids.ts'
import { listOf } from '../../pagination.ts'
import { DateTime, Nullable, OneOf, Strict } from '../../schema.ts'
import { SecretApproval, SecretApprovalCreateRequest } from './secret-approval.ts'

/** Why an approval no longer covers next versions. */
export const nextVersionsEndReasons = [
  /** The approval was revoked. */
  'revoked',
  /** Its time is over. */
  'expired',
  /** A version was published that somebody else wrote, or changed as a draft. */
  'other_author',
  /** A version was published whose slots are others. */
  'other_slots',
  /** The task reaches the consumer by another share, or by none. */
  'share_changed',
  /** The author no longer manages the task. */
  'author_left',
  /** The person who approved no longer manages both the task and the consumer. */
  'approver_left',
] as const
export type NextVersionsEndReason = (typeof nextVersionsEndReasons)[number]

/** Which further versions an approval covers (extension). */
export const NextVersions = Type.Object({
  until: about('Until when versions are covered.', DateTime),
  author_id: about('Versions of this user alone are covered.', Type.String(), exampleId('user')),
  approved_by: about('The user who approved it.', Type.String(), exampleId('user')),
  after_version_number: about('Versions with a higher number are covered.', Type.Integer(), 3),
  slot_names: about(
    'Versions with exactly these slots are covered.',
    Type.Array(Type.String(), { maxItems: 100 }),
    ['API_TOKEN'],
  ),
  share_grant_id: about(
    'Runs in rooms that this share reaches are covered, if no narrower share does.',
    Type.String(),
    exampleId('shareGrant'),
  ),
  active: about('Whether it counts now.', Type.Boolean(), true),
  end_reason: about(
    'Why it counts no more; null while it does.',
    Nullable(OneOf(nextVersionsEndReasons)),
    null,
  ),
  ended_at: about(
    'When the end was recorded, up to minutes after it; null before.',
    Nullable(DateTime),
    null,
  ),
})
export type NextVersions = Static<typeof NextVersions>

/** An approval, with the further versions that it covers (extension). */
export const ExtendedSecretApproval = Type.Object({
  ...SecretApproval.properties,
  next_versions: about(
    'Further versions that it covers; null if it was given for its version alone.',
    Nullable(NextVersions),
  ),
})
export type ExtendedSecretApproval = Static<typeof ExtendedSecretApproval>

export const ExtendedSecretApprovalList = Type.Object({
  ...listOf(ExtendedSecretApproval).properties,
  truncated: about('Further approvals are on the next page.', Type.Boolean(), false),
})
export type ExtendedSecretApprovalList = Static<typeof ExtendedSecretApprovalList>

export const NextVersionsRequest = Strict({
  ...SecretApprovalCreateRequest.properties,
  next_versions_until: about('Until when next versions are covered: at most 90 days ahead.', DateTime),
})
export type NextVersionsRequest = Static<typeof NextVersionsRequest>
