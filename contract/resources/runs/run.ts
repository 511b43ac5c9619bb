import { type Static, Type } from 'typebox'
import { Identifier } from '../../ids.ts'
import { errorDetailMaxLength, guidanceMaxLength } from '../../limits.ts'
import { listOf } from '../../pagination.ts'
import { Count, DateTime, Nullable, Omissible, OneOf, Strict } from '../../schema.ts'
import { runStates } from '../../states/run-states.ts'
import { Scope } from '../companies/owner-scope.ts'
import { ResourceProfile } from '../environments/profile.ts'
import { TimeoutSeconds } from '../tasks/task-version.ts'
import { FailureSource, FailureStage } from './run-failure.ts'
import { WaitReason } from './run-wait.ts'

export const principalTypes = ['user', 'social_media_client'] as const
export const PrincipalType = OneOf(principalTypes)
export type PrincipalType = Static<typeof PrincipalType>

export const authMethods = ['jwt', 'api_key'] as const
export const AuthMethod = OneOf(authMethods)
export type AuthMethod = Static<typeof AuthMethod>

export const submissionSources = ['rest', 'agent', 'quick_run', 'custom_table_trigger'] as const
export const SubmissionSource = OneOf(['', ...submissionSources])
export type SubmissionSource = Static<typeof SubmissionSource>

/** Which side supplied a secret, recorded when the run was claimed. */
export const SecretProvenance = Type.Object({
  resolved_via: OneOf(['borrower', 'owner']),
  consumer_scope: Scope,
})
export type SecretProvenance = Static<typeof SecretProvenance>

/** One execution of a task version in a chatroom (contract part 1, "Run"). Poll it until `terminal_at` is set. */
export const RunDetail = Type.Object({
  id: Identifier,
  company_id: Identifier,
  chatroom_id: Identifier,
  status: OneOf(runStates),
  resource_profile: ResourceProfile,
  principal_type: PrincipalType,
  principal_id: Type.String(),
  auth_method: AuthMethod,
  task_id: Identifier,
  task_version_id: Identifier,
  timeout_seconds: Type.Integer(),
  submission_source: SubmissionSource,
  /** Empty on `completed`. */
  error_code: Type.String(),
  error_detail: Type.String({ maxLength: errorDetailMaxLength, pattern: '^[A-Za-z0-9._@:/+=%;-]*$' }),
  exit_code: Nullable(Type.Integer()),
  failure_stage: FailureStage,
  failure_source: FailureSource,
  wait_reason: WaitReason,
  next_action: Type.String({ maxLength: guidanceMaxLength }),
  wait_since: Nullable(DateTime),
  queue_position: Nullable(Type.Integer({ minimum: 1 })),
  eta_seconds: Nullable(Count),
  failure_hint: Type.String({ maxLength: guidanceMaxLength }),
  measured_ingress_bytes: Count,
  measured_egress_bytes: Count,
  input_digest: Type.String(),
  /** Empty when the run is not a retry. */
  retry_of_run_id: Type.String(),
  queued_at: Nullable(DateTime),
  terminal_at: Nullable(DateTime),
  secret_slot_provenance: Nullable(Type.Record(Type.String(), SecretProvenance)),
})
export type RunDetail = Static<typeof RunDetail>

export const RunList = listOf(RunDetail)
export type RunList = Static<typeof RunList>

/** `input` is any JSON within the size limits of a run's input. If the timeout is omitted, the version's applies. */
export const ManualRunSubmitRequest = Strict({
  task_version_id: Identifier,
  input: Type.Unknown(),
  timeout_seconds: Omissible(TimeoutSeconds),
})
export type ManualRunSubmitRequest = Static<typeof ManualRunSubmitRequest>

export const RunRetryRequest = Strict({ input: Type.Optional(Type.Unknown()) })
export type RunRetryRequest = Static<typeof RunRetryRequest>
