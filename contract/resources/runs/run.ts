import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { exampleDigest } from '../../digest.ts'
import { ChatroomId, CompanyId, RunId, TaskId, TaskVersionId } from '../../identifiers.ts'
import { exampleId } from '../../ids.ts'
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
  resolved_via: about('Side that supplied the secret.', OneOf(['borrower', 'owner'])),
  consumer_scope: about('Kind of the consumer that supplied it.', Scope),
})
export type SecretProvenance = Static<typeof SecretProvenance>

/** One execution of a task version in a chatroom (contract part 1, "Run"). Poll it until `terminal_at` is set. */
export const RunDetail = Type.Object({
  id: RunId,
  company_id: CompanyId,
  chatroom_id: ChatroomId,
  status: about('Where the run is in its life.', OneOf(runStates), 'completed'),
  resource_profile: about('Processors, memory and disk of the run.', ResourceProfile),
  principal_type: about('Kind of who submitted it.', PrincipalType),
  principal_id: about('Identifier of who submitted it, by its kind.', Type.String(), exampleId('user')),
  auth_method: about('How the submitter logged in.', AuthMethod),
  task_id: TaskId,
  task_version_id: TaskVersionId,
  timeout_seconds: about('Deadline, in seconds from the start.', Type.Integer(), 1800),
  submission_source: about('How it was submitted; empty if unknown.', SubmissionSource, 'rest'),
  error_code: about('Code of the failure, such as `timeout`; empty without one.', Type.String(), ''),
  error_detail: about(
    'The exact failure, as a slug; empty without a failure.',
    Type.String({ maxLength: errorDetailMaxLength, pattern: '^[A-Za-z0-9._@:/+=%;-]*$' }),
    '',
  ),
  exit_code: about(
    'Exit code of the scripts; null until the end, and if they did not exit.',
    Nullable(Type.Integer()),
    0,
  ),
  failure_stage: about('Part of the run that failed; empty without a failure.', FailureStage),
  failure_source: about('Component that reported the failure; empty without one.', FailureSource),
  wait_reason: about('Why it has not started; empty while it runs and at the end.', WaitReason),
  next_action: about(
    'Meaning of the wait, as a sentence; empty when it does not wait.',
    Type.String({ maxLength: guidanceMaxLength }),
    '',
  ),
  wait_since: about('Since when it waits; null when it does not.', Nullable(DateTime), null),
  queue_position: about(
    'Place in the queue, from 1; null when it does not wait.',
    Nullable(Type.Integer({ minimum: 1 })),
    null,
  ),
  eta_seconds: about(
    'Estimated seconds until it starts; null when it does not wait or nothing is known.',
    Nullable(Count),
    null,
  ),
  failure_hint: about(
    'How to repair the failure, as a sentence; empty without one.',
    Type.String({ maxLength: guidanceMaxLength }),
    '',
  ),
  measured_ingress_bytes: about('Bytes received from the network.', Count, 18_220),
  measured_egress_bytes: about('Bytes sent to the network.', Count, 4210),
  input_digest: about('Digest of the input in its canonical form.', Type.String(), exampleDigest),
  retry_of_run_id: about('The run that this one repeats; empty if none.', Type.String(), ''),
  queued_at: about('When it was queued.', Nullable(DateTime)),
  terminal_at: about('When it ended; null until then.', Nullable(DateTime)),
  secret_slot_provenance: about(
    'Supplier of each secret, by slot; null without secrets.',
    Nullable(Type.Record(Type.String(), SecretProvenance)),
    null,
  ),
})
export type RunDetail = Static<typeof RunDetail>

export const RunList = listOf(RunDetail)
export type RunList = Static<typeof RunList>

/** `input` is any JSON within the size limits of a run's input. If the timeout is omitted, the version's applies. */
export const ManualRunSubmitRequest = Strict({
  task_version_id: TaskVersionId,
  input: about("Any JSON that fits the version's input schema, at most 1 MiB.", Type.Unknown(), {
    month: '2026-10',
  }),
  timeout_seconds: about(
    "Deadline, in seconds from the start; by default the version's.",
    Omissible(TimeoutSeconds),
    300,
  ),
})
export type ManualRunSubmitRequest = Static<typeof ManualRunSubmitRequest>

export const RunRetryRequest = Strict({
  input: about('Another input; by default that of the first run.', Type.Optional(Type.Unknown()), {
    month: '2026-10',
  }),
})
export type RunRetryRequest = Static<typeof RunRetryRequest>
