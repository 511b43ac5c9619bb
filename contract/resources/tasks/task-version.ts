import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { exampleDigest } from '../../digest.ts'
import {
  BundleId,
  CompanyId,
  EnvironmentVersionId,
  ScriptId,
  TaskId,
  TaskVersionId,
} from '../../identifiers.ts'
import { exampleId } from '../../ids.ts'
import {
  inputExampleMaxLength,
  inputInstructionsMaxLength,
  scriptMaxBytes,
  timeoutMaxSeconds,
  timeoutMinSeconds,
} from '../../limits.ts'
import { listOf } from '../../pagination.ts'
import { DateTime, Nullable, Omissible, OneOf, Ordinal, PlainText, Strict } from '../../schema.ts'
import { taskVersionContentStates, taskVersionStates } from '../../states/catalog-states.ts'
import { RuntimeContract } from '../environments/runtime-contract.ts'
import { OutputPolicy } from '../runs/output-policy.ts'
import { SecretSlotDeclaration } from './secret-slot.ts'

export const TimeoutSeconds = Type.Integer({ minimum: timeoutMinSeconds, maximum: timeoutMaxSeconds })

/** Stored unchanged; names and sizes are checked when a run is claimed. */
export const OrdinaryEnv = Type.Record(Type.String(), Type.String())
export type OrdinaryEnv = Static<typeof OrdinaryEnv>

/** The schema counts characters; the server checks `scriptMaxBytes` in bytes of UTF-8. */
const Script = PlainText({ maxLength: scriptMaxBytes })

/**
 * A version of a task (contract part 1, "Task version"). If `source_visible` is false, the last seven fields are null
 * because they are hidden, not because they are empty.
 */
export const TaskVersion = Type.Object({
  id: TaskVersionId,
  task_id: TaskId,
  company_id: CompanyId,
  version_number: about('Number of the version in its task, from 1.', Ordinal, 3),
  state: about('Where the version is in its life.', OneOf(taskVersionStates), 'published'),
  content_state: about(
    '`scrubbed`: its content is gone for good, and it can never run again.',
    OneOf(taskVersionContentStates),
  ),
  environment_version_id: about(
    'Environment version that it runs on.',
    Type.String(),
    exampleId('environmentVersion'),
  ),
  environment_id: about(
    'Environment of that version; empty if it no longer exists.',
    Type.String(),
    exampleId('environment'),
  ),
  environment_name: about(
    'Name of that environment; empty if it no longer exists.',
    Type.String(),
    'Report tools',
  ),
  timeout_seconds: about('Deadline of a run, in seconds from its start.', Type.Integer(), 1800),
  requires_confirmation: about('A person must confirm what an agent submits.', Type.Boolean(), false),
  secret_slot_names: about('Names of the secrets that it declares.', Type.Array(Type.String()), [
    'API_TOKEN',
  ]),
  canonical_digest: about('Digest of exactly what it is; approvals name it.', Type.String(), exampleDigest),
  content_hash: about('Digest of its content.', Type.String(), exampleDigest),
  published_at: about('When it was published; null for a draft.', Nullable(DateTime)),
  archived_at: about('When it was archived; null if it was not.', Nullable(DateTime), null),
  update_available: about('A newer version is published.', Type.Boolean(), false),
  input_instructions: about(
    'Instructions for the input, for people and models; null without.',
    Nullable(Type.String()),
    'month: the month as YYYY-MM',
  ),
  input_example: about(
    'An input that works, as JSON text; null without.',
    Nullable(Type.String()),
    '{"month":"2026-10"}',
  ),
  input_schema: about(
    'JSON Schema of the input, as text; null without.',
    Nullable(Type.String()),
    '{"type":"object","required":["month"]}',
  ),
  runtime_contract: about('Environment that its scripts find.', Nullable(RuntimeContract)),
  source_visible: about(
    'False: the fields that follow are null because they are hidden.',
    Type.Boolean(),
    true,
  ),
  startup_script: about('Script that is evaluated first.', Nullable(Type.String()), 'set -eu'),
  work_script: about(
    'Script that does the work, as `/workspace/work.sh`.',
    Nullable(Type.String()),
    'python3 /workspace/report.py',
  ),
  work_command: about(
    'Line that is evaluated after the startup script; null: `. /workspace/work.sh`.',
    Nullable(Type.String()),
    null,
  ),
  ordinary_env: about('Environment variables that are not secret.', Nullable(OrdinaryEnv), {
    LANG: 'C.UTF-8',
  }),
  secret_slot_declarations: about(
    'The secrets as declared; may contain older forms.',
    Nullable(Type.Array(Type.Unknown())),
    ['API_TOKEN'],
  ),
  output_policy: about(
    'Permission of a run to write back; may contain older forms.',
    Nullable(Type.Unknown()),
    null,
  ),
  bundle_id: about('Bundle of files that it has in `/workspace`; null without.', Nullable(BundleId), null),
})
export type TaskVersion = Static<typeof TaskVersion>

export const TaskVersionList = listOf(TaskVersion)
export type TaskVersionList = Static<typeof TaskVersionList>

/**
 * Fields of a draft. The server checks the byte length of `work_command` and `input_schema`, and refuses a NUL in
 * them or in `input_example` with `job_contract_invalid`. A script and its handle (`*_script_id`) exclude each other.
 */
const draftFields = {
  startup_script: about('Script that is evaluated first, at most 1 MiB.', Type.Optional(Script), 'set -eu'),
  work_script: about(
    'Script that does the work, as `/workspace/work.sh`, at most 1 MiB.',
    Type.Optional(Script),
    'python3 /workspace/report.py',
  ),
  startup_script_id: about('Uploaded script instead of `startup_script`.', Omissible(ScriptId), null),
  work_script_id: about('Uploaded script instead of `work_script`.', Omissible(ScriptId), null),
  ordinary_env: about(
    'Environment variables that are not secret. They are checked when a run is claimed.',
    Omissible(OrdinaryEnv),
    { LANG: 'C.UTF-8' },
  ),
  input_instructions: about(
    'Instructions for the input, for people and models.',
    Omissible(PlainText({ maxLength: inputInstructionsMaxLength })),
    'month: the month as YYYY-MM',
  ),
  input_example: about(
    'An input that works, as JSON text. It must fit `input_schema`.',
    Omissible(Type.String({ maxLength: inputExampleMaxLength })),
    '{"month":"2026-10"}',
  ),
  input_schema: about(
    'JSON Schema (2020-12) of the input, as text, at most 64 KiB.',
    Omissible(Type.String()),
    '{"type":"object","required":["month"]}',
  ),
  work_command: about(
    'Line that is evaluated after the startup script, at most 4096 bytes; by default `. /workspace/work.sh`.',
    Omissible(Type.String()),
    null,
  ),
  timeout_seconds: about(
    'Deadline of a run, in seconds from its start; by default 1800.',
    Type.Optional(TimeoutSeconds),
    1800,
  ),
  secret_slot_declarations: about(
    'Secrets that runs get as environment variables: names, or objects with `name`.',
    Omissible(Type.Array(SecretSlotDeclaration)),
    ['API_TOKEN'],
  ),
  requires_confirmation: about(
    'A person must confirm what an agent submits; by default false.',
    Type.Optional(Type.Boolean()),
    false,
  ),
  output_policy: about(
    'Permission of a run to write back; only for tasks of a department.',
    Omissible(OutputPolicy),
    null,
  ),
  bundle_id: about(
    'Uploaded bundle, whose files are unpacked below `/workspace`.',
    Omissible(BundleId),
    null,
  ),
}

export const TaskVersionCreateRequest = Strict({
  environment_version_id: about('Environment version to run on; it must be `ready`.', EnvironmentVersionId),
  ...draftFields,
})
export type TaskVersionCreateRequest = Static<typeof TaskVersionCreateRequest>

/** Changes a draft. An omitted field stays unchanged; null clears a field that may be empty. */
export const TaskVersionUpdateRequest = Strict({
  environment_version_id: about(
    'Environment version to run on; it must be `ready`.',
    Type.Optional(EnvironmentVersionId),
  ),
  ...draftFields,
})
export type TaskVersionUpdateRequest = Static<typeof TaskVersionUpdateRequest>
